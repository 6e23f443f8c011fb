/** @jsxImportSource hono/jsx */
/** Money raised over time: a step for each round, as high as the total after it. The table beside it has every figure. */
import { type FundedRound, stageOf } from '../directory/funding.ts'
import { FINE_STEPS, percent, roundedUp } from './scale.ts'
import { dollars, formatDay, plural } from './text.tsx'

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
  round: FundedRound
  /** A share of the width. */
  x: number
  y: number
}

/** Null where it would say nothing: it takes two rounds with different dates, and an amount. */
export function FundingChart({ rounds }: { rounds: readonly FundedRound[] }) {
  const dated = rounds.filter((round) => round.announceDate !== null).toReversed()
  const times = dated.map((round) => Date.parse(round.announceDate ?? ''))
  const [begin = 0, end = 0, total = 0] = [times[0], times.at(-1), dated.at(-1)?.totalUsd]
  if (begin === end || total === 0) return null
  const top = roundedUp(total, FINE_STEPS)
  const xOf = (time: number) => FIRST + ((LAST - FIRST) * (time - begin)) / (end - begin)
  const yOf = (usd: number) => Math.round(FLOOR - (FLOOR - ABOVE) * (usd / top))
  const points = dated.map((round, i) => ({
    round,
    x: xOf(times[i] ?? begin),
    y: yOf(round.totalUsd),
  }))
  const [first, last] = [dated[0], dated.at(-1)].map((round) =>
    formatDay(round?.announceDate ?? ''),
  )
  return (
    <figure class="plot">
      <svg height={HEIGHT} role="img" aria-labelledby="funding-title funding-desc">
        <title id="funding-title">Total raised after each round</title>
        <desc id="funding-desc">
          {`${plural(dated.length, 'round', 'rounds')} from ${first} to ${last}, after which ${dollars(total)} are raised in all. The table below has every figure.`}
        </desc>
        {points.map((point, i) => (
          <Step
            point={point}
            from={points[i - 1]?.y ?? yOf(point.round.totalUsd - (point.round.amountUsd ?? 0))}
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
        {labelled(points).map(({ round, x, y }) => (
          <text class="value" x={percent(x)} y={y - 11}>
            {round.amountUsd === null ? '' : dollars(round.amountUsd)}
          </text>
        ))}
      </svg>
      <figcaption class="note">
        Total raised after each round.
        {dated.some(({ amountUsd }) => amountUsd === null)
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

function Dot({ point: { round, x, y } }: { point: Point }) {
  const { amountUsd, announceDate, totalUsd } = round
  const amount = amountUsd === null ? 'undisclosed' : dollars(amountUsd)
  return (
    <circle class={amountUsd === null ? 'dot open' : 'dot'} cx={percent(x)} cy={y} r="5">
      <title>{`${stageOf(round)}, ${formatDay(announceDate ?? '')}: ${amount}; ${dollars(totalUsd)} in all`}</title>
    </circle>
  )
}

/** Points whose labels don't touch: the newest, then each older one that has room. */
function labelled(points: readonly Point[]): Point[] {
  let next = Number.POSITIVE_INFINITY
  return points.toReversed().filter(({ round, x }) => {
    if (round.amountUsd === null || next - x < APART) return false
    next = x
    return true
  })
}

/** The beginnings of years that have room for their number. */
function yearsBetween(begin: number, end: number, xOf: (time: number) => number) {
  const years: { year: number; x: number }[] = []
  const [first, last] = [begin, end].map((time) => new Date(time).getUTCFullYear())
  for (let year = first ?? 0; year <= (last ?? 0); year++) {
    const x = Math.max(xOf(Date.UTC(year, 0)), year === first ? FIRST : 0)
    const before = years.at(-1)?.x ?? Number.NEGATIVE_INFINITY
    if (x - before >= YEARS_APART && x <= 0.97) years.push({ year, x })
  }
  return years
}
