/** @jsxImportSource hono/jsx */
/** Page for an operator who signed in with a password alone, in place of every page of the console. */
import { hasSecondFactor } from '../../people/users/second-factor-store.ts'
import type { Page, SignedInContext } from '../../site/http/page.ts'
import { TWO_STEP_PATH } from '../../site/pages/account/two-step.tsx'
import { ButtonLink } from '../../site/ui/actions.tsx'
import { personalPage } from '../../site/ui/page-parts.tsx'

/** @returns undefined for an operator who has a second factor: each of their sessions has shown it */
export async function secondFactorFirst(context: SignedInContext): Promise<Page | undefined> {
  const { application, session, href } = context
  if (await hasSecondFactor(application.database, session.user.id)) return undefined
  return personalPage(
    { title: 'Two-step sign-in comes first', status: 403 },
    <>
      <p class="lead">
        You are an operator. These pages show every account and give credits away, so they open for
        operators who sign in in two steps alone: a password is guessed, stolen or reset by whoever
        reads your mail.
      </p>
      <p>Nothing was changed. Set it up, then come back: it takes an app and a minute.</p>
      <p class="actions">
        <ButtonLink href={href(TWO_STEP_PATH)}>Set up two-step sign-in</ButtonLink>
      </p>
    </>,
  )
}
