/** @jsxImportSource hono/jsx */
/** How to begin: a first call, keys, and the versions of the API. */

import { CALL_CREDITS, ENDPOINTS } from '../../contract/endpoints.ts'
import { API_VERSION } from '../../contract/version.ts'
import { MAX_GRACE_SECONDS } from '../../money/accounts/keys.ts'
import { Code, Curl, Section, Table } from '../ui/page-parts.tsx'
import { figure, Prose } from '../ui/text.tsx'
import { type Document, ErrorLink } from './document.tsx'
import { FirstCall } from './examples.tsx'

/** A first call in three steps. */
export const start: Document = {
  path: '/docs',
  title: 'Start in one minute',
  lead: 'Every call is a GET with one header and answers JSON. The first two of three steps are free.',
  body: ({ site, href, examples }) => (
    <>
      <Section id="key" title="1. Create an API key">
        <p>
          <a href={href('/sign-up')}>Create an account</a> with free trial credits and sign in. The
          first page, <a href={href('/overview')}>Overview</a>, leads to a key, which begins with{' '}
          <code>ck_live_</code> and is shown once. Set it in your terminal:
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
        <FirstCall baseUrl={site.baseUrl} examples={examples} />
        <p>
          It costs {CALL_CREDITS} credits, as <code>meta</code> at the end of the answer says:
        </p>
        <Code
          text={`{ …, "meta": { "creditsCharged": ${CALL_CREDITS}, "creditsBalance": 245 } }`}
        />
        <p>
          If the answer says <code class="unbroken">"sample": true</code>, its records are invented,
          because the <code>free</code> account has too few credits.{' '}
          <a href={href('/docs/credits#samples')}>About samples</a>.
        </p>
      </Section>
      <Section id="on" title="Next steps">
        <ul>
          <li>
            <a href={href('/overview')}>Overview</a> shows what you have left and how long it lasts,
            your calls by outcome, and the latest errors with what to do.
          </li>
          <li>
            <a href={href('/docs/reference')}>The reference</a> lists all{' '}
            {figure(Object.keys(ENDPOINTS).length)} endpoints with parameters, answers and examples.
          </li>
          <li>
            <a href={href('/openapi.json')}>The OpenAPI document</a> works with client generators,
            Postman and Insomnia; it is there <a href={href('/openapi-3.1.json')}>in version 3.1</a>{' '}
            too.
          </li>
          <li>
            <a href={href('/people')}>The directory</a> can be browsed here without a key.
          </li>
        </ul>
      </Section>
    </>
  ),
}

/** Keys and scopes. */
export const authentication: Document = {
  path: '/docs/authentication',
  title: 'Authentication',
  lead: 'Each call carries an API key. Credits and limits belong to the account behind it.',
  body: ({ href }) => (
    <>
      <Section id="header" title="The header">
        <Code text="Authorization: Bearer ck_live_…" />
        <p>
          Send it once with every call. The service never reads a key in the URL. A missing,
          malformed, unknown, revoked or expired key gets the same{' '}
          <ErrorLink code="unauthorized" href={href} />.
        </p>
      </Section>
      <Section id="scopes" title="Scopes">
        <Table
          label="Scopes"
          columns={['Scope', 'What it allows']}
          rows={[
            [<code>read:metadata</code>, 'Lists, single reads, search and /v1/me.'],
            [<code>read:contacts</code>, 'Revealing private channels with include=private.'],
          ]}
        />
        <p>
          A call without the scope that it needs gets a{' '}
          <ErrorLink code="missing_scope" href={href} />, which names the scope and costs nothing.
        </p>
      </Section>
      <Section id="keep" title="Managing keys">
        <p>
          You create, rotate and revoke keys on the page <a href={href('/keys')}>API keys</a>.
        </p>
        <ul>
          <li>A key is shown once; the service keeps only its hash.</li>
          <li>All keys of an account share its credits and limits.</li>
          <li>A revoked key stops working at its next request.</li>
          <li>
            A rotated key gets a successor with its label, scopes and limits, and keeps working
            beside it for up to {MAX_GRACE_SECONDS / 86_400} days.
          </li>
          <li>Keep keys on servers: anyone with a key can spend your credits.</li>
        </ul>
      </Section>
      <Section id="limits" title="Limits of a key">
        <p>A key for a program can have less than its account. You choose it when you create it:</p>
        <ul>
          <li>
            An end. From then on the key gets a <ErrorLink code="unauthorized" href={href} />.
          </li>
          <li>
            A cap on the credits that it spends in each day or month of UTC. A call that costs more
            than is left gets a <ErrorLink code="key_cap_exceeded" href={href} />, which says in{' '}
            <code>renewsAt</code> when the cap begins anew. A key and its successor have one cap.
          </li>
          <li>
            Networks that it may be used from. Elsewhere it gets a{' '}
            <ErrorLink code="address_not_allowed" href={href} />, which counts as a request without
            a valid key.
          </li>
        </ul>
        <p>
          <code class="unbroken">GET /v1/me</code> says the limits that a key has as{' '}
          <code>apiKey.expiresAt</code>, <code>apiKey.cap</code> and <code>apiKey.networks</code>.
          Limits of a key never change.
        </p>
      </Section>
    </>
  ),
}

/** Newest first, without versions that changed nothing for callers. */
const CHANGES: readonly { version: string; changes: readonly string[] }[] = [
  {
    version: '1.6.0',
    changes: [
      '`Idempotency-Key`: a repeat of a charged call is free.',
      '`unlimited` on `/v1/me`, where an account has no credit ceiling.',
      'Errors carry `charged`; and `parameter`, `allowed`, `creditsRequired`, `creditsBalance` and `retryAfter` where they help.',
    ],
  },
  {
    version: '1.5.0',
    changes: [
      '`companyType` was added.',
      '`GET /v1/projects/{id}` resolves a company of any kind.',
      '`GET /v1/investors/{slug}` answers 404 for a company that is not a fund.',
      'The services directory holds platforms and launchpads.',
    ],
  },
  {
    version: '1.2.0',
    changes: ['`ticker`, `chains`, `discordUrl`, `linkedinUrl` and `slug` are filled in.'],
  },
]

/** The API's versions and their changes (contract, Versioning). */
export const versions: Document = {
  path: '/docs/versions',
  title: 'Versions',
  lead: 'Within /v1, fields are added, never removed or changed in meaning. Ignore fields that you do not know.',
  body: () => (
    <>
      <p>
        This service has version <strong>{API_VERSION}</strong>, as the headers{' '}
        <code class="unbroken">Service-API-Version</code> and{' '}
        <code class="unbroken">Product-API-Version</code> of every response and{' '}
        <code>apiVersion</code> on <code class="unbroken">/v1/me</code> say. New fields raise the
        middle number. Clients should read the addresses from <code>baseUrl</code> and{' '}
        <code>docs</code> on <code class="unbroken">/v1/me</code>.
      </p>
      {CHANGES.map(({ version, changes }) => (
        <section class="entry" id={`v${version}`} aria-labelledby={`v${version}-title`}>
          <h2 id={`v${version}-title`}>{version}</h2>
          <ul>
            {changes.map((change) => (
              <li>
                <Prose text={change} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  ),
}
