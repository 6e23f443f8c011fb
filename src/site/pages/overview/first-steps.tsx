/** @jsxImportSource hono/jsx */
/** What is left to do until a key's first live call. */

import { CALL_CREDITS, SCOPES } from '../../../contract/endpoints.ts'
import { FIRST_KEY_LABEL } from '../../../money/accounts/keys.ts'
import { exampleValues } from '../../docs/example-values.ts'
import { FirstCall } from '../../docs/examples.tsx'
import type { SignedInContext } from '../../http/page.ts'
import { Submit } from '../../ui/actions.tsx'
import { Form } from '../../ui/form.tsx'

export function FirstSteps({ context, hasKey }: { context: SignedInContext; hasKey: boolean }) {
  const { site, href, directory } = context
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
              Create a key: it is shown once. <a href={href('/keys')}>Name it and choose scopes</a>
            </>
          )}
        </li>
        <li>
          Make the first call, for {CALL_CREDITS} credits. <a href={href('/docs')}>How it works</a>
          <FirstCall baseUrl={site.baseUrl} examples={exampleValues(directory)} />
        </li>
      </ol>
      {hasKey ? null : (
        <Form context={context} action="/keys">
          <input type="hidden" name="label" value={FIRST_KEY_LABEL} />
          {SCOPES.map((scope) => (
            <input type="hidden" name="scopes" value={scope} />
          ))}
          <Submit>Create key</Submit>
        </Form>
      )}
    </section>
  )
}
