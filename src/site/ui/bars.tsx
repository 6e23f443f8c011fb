/** @jsxImportSource hono/jsx */
/** A small bar chart that is a table: each bar stands beside its name and its figure. */
import { percent } from './scale.ts'
import { figure } from './text.tsx'

export interface Bar {
  name: string
  count: number
  /** The "other" row, drawn without a bar because it would dwarf the rest. */
  isRest?: boolean
}

interface BarsProps {
  /** The label of the categories: "Year". */
  title: string
  /** The label of the values: "Investments". */
  unit: string
  bars: readonly Bar[]
  /** The address of what a bar counts; undefined where it has none. */
  href(name: string): string | undefined
  /** The address at which the bars stand that share one here. */
  wholeHref?: string
}

export function Bars({ title, unit, bars, href, wholeHref }: BarsProps) {
  if (bars.length === 0) return null
  const most = Math.max(...bars.map(({ count, isRest }) => (isRest ? 0 : count)))
  return (
    <table class="bars">
      <caption>By {title.toLowerCase()}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ name, count, isRest }) => (
          <tr>
            <th scope="row">
              <BarName name={name} href={isRest ? wholeHref : href(name)} />
            </th>
            <td>
              <svg height="8" aria-hidden="true">
                {isRest ? null : <rect width={percent(count / most)} height="8" rx="2" />}
              </svg>
              <span class="number">{figure(count)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BarName({ name, href }: { name: string; href: string | undefined }) {
  return href ? <a href={href}>{name}</a> : <span>{name}</span>
}
