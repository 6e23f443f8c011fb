/** @jsxImportSource hono/jsx */
/** What is left to do until a key's first live call. */
import { CALL_CREDITS, ENDPOINTS } from '../../contract/endpoints.ts'
import { ButtonLink } from '../components/actions.tsx'
import { Curl } from '../components/page-parts.tsx'
import type { SignedInContext } from '../http/page.ts'

export function FirstSteps({ context, hasKey }: { context: SignedInContext; hasKey: boolean }) {
  const { site, href } = context
  return (
    <section class="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol>
        <li>Your account is ready.</li>
        <li>
          {hasKey ? (
            'You have a key.'
          ) : (
            <>
              Create a key: it is shown once. <a href={href('/keys')}>API keys</a>
            </>
          )}
        </li>
        <li>
          Make the first call, for {CALL_CREDITS} credits. <a href={href('/docs')}>How it works</a>
          <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`} />
        </li>
      </ol>
      {hasKey ? null : (
        <p>
          <ButtonLink href={href('/keys')}>Create a key</ButtonLink>
        </p>
      )}
    </section>
  )
}
