/** @jsxImportSource hono/jsx */
/** `/docs`: a first call in three steps. */
import { CALL_CREDITS, ENDPOINTS } from '../../contract/endpoints.ts'
import { Code, Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { figure } from '../components/text.tsx'
import type { Document } from './document.tsx'

export const start: Document = {
  path: '/docs',
  title: 'Start in one minute',
  lead: 'Every call is a GET with one header, and answers JSON. Three steps, and the first two cost nothing.',
  body: ({ site, href }) => (
    <>
      <Section id="key" title="1. Make a key, and put it where the commands find it">
        <p>
          <a href={href('/sign-up')}>Create an account</a>: it starts with credits for a trial. Sign
          in, and the first page makes a key, which begins with <code>ck_live_</code> and is shown
          once. In a terminal:
        </p>
        <Code isCommand text="export API_KEY=ck_live_…" />
      </Section>
      <Section id="who" title="2. Ask who you are">
        <Curl url={site.baseUrl + ENDPOINTS.me.path} />
        <p>
          The answer holds your tier, your balance and every endpoint with its price. It is free. A{' '}
          <a href={href('/docs/errors#unauthorized')}>401</a> here means that the key did not arrive
          as it was made.
        </p>
      </Section>
      <Section id="first" title="3. Make a call that is billed">
        <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`} />
        <p>
          It takes {CALL_CREDITS} credits and says so, in <code>meta</code> at the end of the
          answer:
        </p>
        <Code
          text={`{ …, "meta": { "creditsCharged": ${CALL_CREDITS}, "creditsBalance": 245 } }`}
        />
        <p>
          Where the answer says <code>"sample": true</code>, its records are invented: the account
          is on the <code>free</code> tier and has too few credits.{' '}
          <a href={href('/docs/credits#samples')}>About samples</a>.
        </p>
      </Section>
      <Section id="on" title="Where to go from here">
        <ul>
          <li>
            <a href={href('/docs/reference')}>The reference</a> has all{' '}
            {figure(Object.keys(ENDPOINTS).length)} endpoints, with their parameters, answers and
            examples.
          </li>
          <li>
            <a href={href('/openapi.json')}>The OpenAPI document</a> is for your tools: client
            generators, Postman, Insomnia.
          </li>
          <li>
            <a href={href('/people')}>The directory itself</a> can be looked at here, without a key.
          </li>
        </ul>
      </Section>
    </>
  ),
}
