/** @jsxImportSource hono/jsx */
/** The section about asking for a price first: HEAD (D48). */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { Code, Section, Table } from '../components/page-parts.tsx'

/** @param baseUrl of the API */
export function Quote({ baseUrl, errors }: { baseUrl: string; errors: string }) {
  const url = `${baseUrl}${ENDPOINTS.person.path.replace(':id', '{id}')}?include=private`
  return (
    <Section id="quote" title="Asking first">
      <p>
        HEAD instead of GET answers for 0 credits, without a body, what the same GET would get if it
        followed at once: its status and headers, and
      </p>
      <Table
        label="Headers of HEAD"
        columns={['Header', 'What it says']}
        rows={[
          [
            <code>Service-Outcome</code>,
            <>
              <code>live</code>, <code>first_reveal</code>, <code>sample</code>,{' '}
              <code>replayed</code> (an Idempotency-Key that was charged), or the code of an{' '}
              <a href={errors}>error</a>.
            </>,
          ],
          [
            <code>Service-Credits-Required</code>,
            <>
              Credits that the call requires: {CALL_CREDITS} or {REVEAL_CREDITS}, 0 for a repeat.
              They are charged if the outcome is <code>live</code> or <code>first_reveal</code>.
            </>,
          ],
          [<code>Service-Credits-Balance</code>, 'Credits of the account now.'],
        ]}
      />
      <Code isCommand text={`curl --head -H "Authorization: Bearer $API_KEY" \\\n  "${url}"`} />
      <p>
        The price is decided by the rule that charges. A HEAD counts as a request, unlocks nothing
        and binds no Idempotency-Key. What is refused before its price is looked at has a code and
        no price.
      </p>
    </Section>
  )
}
