/** @jsxImportSource hono/jsx */
/** `/operator/settings`: what is configured and where it comes from, and what runs. Nothing is changed here. */

import type { Page } from '../../../site/http/page.ts'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Section } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { SETTINGS, type SettingNow, settingsNow, systemFacts } from '../../acts/settings.ts'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'

export async function settingsPage(context: OperatorContext): Promise<Page> {
  const { database } = context.application
  const { config } = context.console
  const facts = await systemFacts(database, config)
  const settings = settingsNow(config)
  return operatorPage(
    context,
    { title: 'Configuration' },
    <>
      <p class="lead">
        Settings are variables of the environment, read when the service starts. The command{' '}
        <code>config</code> prints the same.
      </p>
      <Section id="system" title="What runs">
        <Facts
          facts={[
            { name: 'Version', value: `${facts.version}, commit ${facts.commit}` },
            { name: 'Runtime', value: `${facts.runtime}, ${facts.platform}` },
            { name: 'Database', value: <bdi>{facts.database}</bdi> },
            { name: 'PostgreSQL', value: facts.postgres },
            { name: 'Schema', value: <code>{facts.schema}</code> },
            { name: 'Processes', value: `${figure(facts.workers)} of this service` },
          ]}
        />
      </Section>
      {Object.keys(SETTINGS).map((group, place) => (
        <Section id={`settings-${place + 1}`} title={group}>
          <List
            label={group}
            rows={settings.filter((setting) => setting.group === group)}
            cells={[
              ['Setting', ({ name }) => <code>{name}</code>],
              ['Value', (setting) => <Value {...setting} />],
              ['From', ({ isSet }) => (isSet ? <Badge tone="good">environment</Badge> : 'default')],
              ['Meaning', ({ description }) => description],
            ]}
          />
        </Section>
      ))}
    </>,
  )
}

function Value({ value, isSet, isSecret, default: byDefault }: SettingNow) {
  if (value !== null) return <bdi>{value}</bdi>
  if (isSet) return <>set</>
  if (byDefault !== '') return <bdi>{byDefault}</bdi>
  return <span class="quiet">{isSecret ? 'not set' : 'none'}</span>
}
