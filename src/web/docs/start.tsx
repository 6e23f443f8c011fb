/** @jsxImportSource hono/jsx */
/** `/docs`: a first call in three steps. */
import { CALL_CREDITS, ENDPOINTS } from '../../contract/endpoints.ts'
import { Code, Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { figure } from '../components/text.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

export const start: Document = {
  path: '/docs',
  title: 'Start in one minute',
  lead: 'Every call is a GET with one header and answers JSON. The first two of three steps are free.',
  body: ({ site, href }) => (
    <>
      <Section id="key" title="1. Create an API key">
        <p>
          <a href={href('/sign-up')}>Create an account</a> with free trial credits and sign in. The
          first page creates a key, which begins with <code>ck_live_</code> and is shown once. Set
          it in your terminal:
        </p>
        <Code isCommand text="export API_KEY=ck_live_…" />
      </Section>
      <Section id="who" title="2. Check your account">
        <Curl url={site.baseUrl + ENDPOINTS.me.path} />
        <p>
          This free call answers your tier, your balance and every endpoint with its price. A{' '}
          <ErrorLink code="unauthorized" href={href} /> means that the key did not arrive unchanged.
        </p>
      </Section>
      <Section id="first" title="3. Make a billed call">
        <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`} />
        <p>
          It costs {CALL_CREDITS} credits, as <code>meta</code> at the end of the answer says:
        </p>
        <Code
          text={`{ …, "meta": { "creditsCharged": ${CALL_CREDITS}, "creditsBalance": 245 } }`}
        />
        <p>
          If the answer says <code>"sample": true</code>, its records are invented, because the{' '}
          <code>free</code> account has too few credits.{' '}
          <a href={href('/docs/credits#samples')}>About samples</a>.
        </p>
      </Section>
      <Section id="on" title="Next steps">
        <ul>
          <li>
            <a href={href('/docs/reference')}>The reference</a> lists all{' '}
            {figure(Object.keys(ENDPOINTS).length)} endpoints with parameters, answers and examples.
          </li>
          <li>
            <a href={href('/openapi.json')}>The OpenAPI document</a> works with client generators,
            Postman and Insomnia.
          </li>
          <li>
            <a href={href('/people')}>The directory</a> can be browsed here without a key.
          </li>
        </ul>
      </Section>
    </>
  ),
}
