/** @jsxImportSource hono/jsx */
/** The section about asking for a price first: HEAD. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { Code, Section, Table } from '../ui/page-parts.tsx'
import type { DocumentContext } from './document.tsx'
import { exampleUrl } from './example-call.ts'
import { creditsText } from './price-words.ts'

export function Quote({ site, href, examples }: DocumentContext) {
  const url = `${exampleUrl('person', site.baseUrl, examples)}?include=private`
  return (
    <Section id="quote" title="Asking first">
      <p>
        HEAD instead of GET is free. It answers the status and the headers that the same GET would
        get now, without a body, and these headers:
      </p>
      <Table
        label="Headers of HEAD"
        isCards
        columns={['Header', { label: 'What it says', card: 'line' }]}
        rows={[
          [
            <code>Service-Outcome</code>,
            <>
              <code>live</code>, <code>first_reveal</code>, <code>sample</code>,{' '}
              <code>replayed</code> (an Idempotency-Key that was charged), or the code of an{' '}
              <a href={href('/docs/errors')}>error</a>.
            </>,
          ],
          [
            <code>Service-Credits-Required</code>,
            <>
              Credits that the call requires: {creditsText(ENDPOINTS.person)}, 0 for a repeat. They
              are charged if the outcome is <code>live</code> or <code>first_reveal</code>.
            </>,
          ],
          [<code>Service-Credits-Balance</code>, 'Credits of the account now.'],
        ]}
      />
      <Code isCommand text={`curl --head -H "Authorization: Bearer $API_KEY" \\\n  "${url}"`} />
      <p>
        The rule that charges a GET also gives the price of a HEAD. A HEAD counts as a request,
        unlocks nothing and binds no Idempotency-Key. A call that is refused before its price is
        known answers an error code and no price.
      </p>
    </Section>
  )
}
