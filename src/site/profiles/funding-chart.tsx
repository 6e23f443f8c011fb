/** @jsxImportSource hono/jsx */
/** Money raised over time: a step for each round, as high as the total after it. The table beside it has every figure. */

import { FINE_STEPS, percent, roundedUp } from '../ui/scale.ts'
import { dollars, figure, formatDay, plural } from '../ui/text.tsx'
import type { FundingStep } from './funding.ts'

/** In pixels; across, places are shares of the width, so that text keeps its size on a phone. */
const HEIGHT = 220
const ABOVE = 26
const BELOW = 24
const FLOOR = HEIGHT - BELOW
/** Where the first and the last round stand, as shares of the width. */
const FIRST = 0.06
const LAST = 0.92
/** Labels that are nearer to each other than this share would touch. */
const APART = 0.13
const YEARS_APART = 0.1

interface Point {
  step: FundingStep
  /** A share of the width. */
  x: number
  y: number
}

/** Null where it would say nothing: it takes two rounds with different dates, and an amount. */
export function FundingChart({ steps }: { steps: readonly FundingStep[] }) {
  const [first, last] = [steps[0], steps.at(-1)]
  const [begin = 0, end = 0, total = 0] = [first?.announcedAt, last?.announcedAt, last?.totalUsd]
  if (begin === end || total === 0) return null
  const count = steps.reduce((sum, { name }) => sum + (typeof name === 'number' ? name : 1), 0)
  const isGrouped = count > steps.length
  const top = roundedUp(total, FINE_STEPS)
  const xOf = (time: number) => FIRST + ((LAST - FIRST) * (time - begin)) / (end - begin)
  const yOf = (usd: number) => Math.round(FLOOR - (FLOOR - ABOVE) * (usd / top))
  const points = steps.map((step) => ({
    step,
    x: xOf(step.announcedAt),
    y: yOf(step.totalUsd),
  }))
  return (
    <figure class="plot">
      <svg height={HEIGHT} role="img" aria-labelledby="funding-title funding-desc">
        <title id="funding-title">Total raised after each round</title>
        <desc id="funding-desc">
          {`${plural(count, 'round', 'rounds')} from ${formatDay(begin)} to ${formatDay(end)}, after which ${dollars(total)} are raised in all. The table below has every figure.`}
        </desc>
        {points.map((point, i) => (
          <Step
            point={point}
            from={points[i - 1]?.y ?? yOf(point.step.totalUsd - (point.step.amountUsd ?? 0))}
            to={points[i + 1]?.x ?? 1}
          />
        ))}
        {[0, top / 2, top].map((usd) => (
          <>
            <line class="level" x1="0" x2="100%" y1={yOf(usd)} y2={yOf(usd)} />
            {usd > 0 ? (
              <text x="0" y={yOf(usd) - 5}>
                {dollars(usd)}
              </text>
            ) : null}
          </>
        ))}
        {yearsBetween(begin, end, xOf).map(({ year, x }) => (
          <text class="year" x={percent(x)} y={HEIGHT - 6}>
            {year}
          </text>
        ))}
        {points.map((point) => (
          <Dot point={point} />
        ))}
        {labelled(points).map(({ step, x, y }) => (
          <text class="value" x={percent(x)} y={y - 11}>
            {step.amountUsd === null ? '' : `+${dollars(step.amountUsd)}`}
          </text>
        ))}
      </svg>
      <figcaption class="note">
        Total raised after each round, with what it added.
        {isGrouped ? ' A dot is all rounds of its time.' : null}
        {steps.some(({ amountUsd }) => amountUsd === null)
          ? ' A hollow dot is a round whose amount was not disclosed.'
          : null}
      </figcaption>
    </figure>
  )
}

/** The total from one round to the next. @param from height of the total before @param to where the next round stands */
function Step({ point: { x, y }, from, to }: { point: Point; from: number; to: number }) {
  const left = percent(x)
  return (
    <>
      <rect class="under" x={left} y={y} width={percent(to - x)} height={FLOOR - y} />
      <line class="step" x1={left} x2={left} y1={from} y2={y} />
      <line class="step" x1={left} x2={percent(to)} y1={y} y2={y} />
    </>
  )
}

function Dot({ point: { step, x, y } }: { point: Point }) {
  const { name, amountUsd, announcedAt, totalUsd } = step
  const day = formatDay(announcedAt)
  const what = typeof name === 'number' ? `${figure(name)} rounds up to ${day}` : `${name}, ${day}`
  const amount = amountUsd === null ? 'undisclosed' : dollars(amountUsd)
  return (
    <circle class={amountUsd === null ? 'dot open' : 'dot'} cx={percent(x)} cy={y} r="5">
      <title>{`${what}: ${amount}; ${dollars(totalUsd)} in all`}</title>
    </circle>
  )
}

/** Points whose labels don't touch: the newest, then each older one that has room. */
function labelled(points: readonly Point[]): Point[] {
  let next = Number.POSITIVE_INFINITY
  return points.toReversed().filter(({ step, x }) => {
    if (step.amountUsd === null || next - x < APART) return false
    next = x
    return true
  })
}

/** The beginnings of years that have room for their number; where none begins between the rounds, the year of them all. */
function yearsBetween(begin: number, end: number, xOf: (time: number) => number) {
  const [first = 0, last = 0] = [begin, end].map((time) => new Date(time).getUTCFullYear())
  if (first === last) return [{ year: first, x: FIRST }]
  const years: { year: number; x: number }[] = []
  for (let year = first + 1; year <= last; year++) {
    const x = xOf(Date.UTC(year, 0))
    const before = years.at(-1)?.x ?? Number.NEGATIVE_INFINITY
    if (x - before >= YEARS_APART) years.push({ year, x })
  }
  return years
}
