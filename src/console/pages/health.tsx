/** @jsxImportSource hono/jsx */
/** How the service does, on the operator's first page. */

import type { Readiness } from '../../site/http/health-state.ts'
import type { PageContext } from '../../site/http/page.ts'
import { Badge } from '../../site/ui/badges.tsx'
import { Facts } from '../../site/ui/facts.tsx'
import { Notice, Section } from '../../site/ui/page-parts.tsx'
import { figure, humanize, plural } from '../../site/ui/text.tsx'
import type { Finding } from '../acts/checks.ts'
import { BACKUPS } from '../ui/paths.ts'

/** Changed records that are named. */
const LINES = 5

interface HealthProps {
  context: PageContext
  ready: Readiness
  checks: Readonly<Record<string, Finding>>
}

export function Health({ context, ready, checks }: HealthProps) {
  const { position, following } = context.directory
  const { setAside } = following
  const since = Math.floor(following.secondsSinceInStep)
  return (
    <Section id="health" title="Health">
      {ready.status === 'ready' ? null : (
        <Notice tone="bad">
          This server is not to be sent requests: {ready.reasons.join('; ')}.
        </Notice>
      )}
      {setAside.length > 0 ? (
        <Notice tone="warn">
          {plural(setAside.length, 'changed record', 'changed records')} could not be taken in, and
          the log says why:{' '}
          {setAside
            .slice(0, LINES)
            .map(({ id }) => id)
            .join(', ')}
          .
        </Notice>
      ) : null}
      <Facts
        facts={[
          {
            name: 'This server',
            value: (
              <Badge tone={ready.status === 'ready' ? 'good' : 'bad'}>
                {ready.status === 'ready' ? 'ready' : 'not ready'}
              </Badge>
            ),
          },
          {
            name: 'Directory',
            value: `${since < 2 ? 'up to date' : `last up to date ${plural(since, 'second', 'seconds')} ago`}, change ${figure(position)}`,
          },
          ...Object.entries(checks).map(([name, { state, text }]) => ({
            name: humanize(name),
            value:
              name === 'backups' ? (
                <Backups context={context} state={state} text={text} />
              ) : state === 'skipped' ? (
                <span class="quiet">{text}</span>
              ) : (
                <Found state={state} text={text} />
              ),
          })),
        ]}
      />
      <p class="note">
        The command <code>doctor</code> checks the books and the index as well, which takes longer.
      </p>
    </Section>
  )
}

interface FoundProps {
  state: 'ok' | 'failed'
  text: string
}

const Found = ({ state, text }: FoundProps) => (
  <>
    <Badge tone={state === 'ok' ? 'good' : 'bad'}>{state === 'ok' ? 'ok' : 'problem'}</Badge>{' '}
    {forPeople(text)}
  </>
)

/** Backups that are off are a warning, as on their own page. */
function Backups({ context, state, text }: Finding & { context: PageContext }) {
  if (state === 'ok') return <Found state={state} text={text} />
  const link = <a href={context.href(BACKUPS)}>Backups</a>
  if (state === 'failed')
    return (
      <>
        <Found state={state} text={text} />. {link}
      </>
    )
  return (
    <>
      <Badge tone="warn">off</Badge> {text}. {link}
    </>
  )
}

/** Rewrites times and large numbers of a command's output as pages show them. */
const forPeople = (text: string): string =>
  text
    .replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g, '$1, $2 (UTC)')
    .replace(/\d{4,}(?= MB)/g, (megabytes) => figure(Number(megabytes)))
