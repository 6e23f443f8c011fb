/** The suite's result at a glance. */
import type { Stage } from './stage.ts'
import { DATABASES, type Target } from './targets.ts'

/** Runtime by database: how many cases hold of how many that were run. */
export function tableOf(targets: readonly Target[], stages: readonly Stage[]): string {
  const cell = (target: Target | undefined) => {
    if (!target) return ''
    const stage = stages.find((each) => each.target === target)
    return stage ? `${stage.passed} of ${stage.cases} passed` : 'SKIPPED'
  }
  const runtimes = [...new Set(targets.map(({ runtime }) => runtime))]
  const databases = DATABASES.filter((name) => targets.some(({ database }) => database === name))
  const rows = [
    ['', ...databases],
    ...runtimes.map((runtime) => [
      runtime,
      ...databases.map((database) =>
        cell(targets.find((each) => each.runtime === runtime && each.database === database)),
      ),
    ]),
  ]
  const notes = new Set(targets.flatMap(({ missing }) => missing ?? []))
  const lines = rows.map((row) =>
    row
      .map((text) => text.padEnd(16))
      .join('  ')
      .trimEnd(),
  )
  return ['', ...lines, ...notes, ''].join('\n')
}
