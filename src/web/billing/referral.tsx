/** @jsxImportSource hono/jsx */
/** `/referral`: the account's link, what it gives, and who came by it. */
import { referralOf } from '../../payments/payments.ts'
import { Code } from '../components/code.tsx'
import { Facts } from '../components/profile.tsx'
import { figure, plural } from '../components/text.tsx'
import { notFound } from '../http/form-errors.ts'
import type { Page, SignedInContext } from '../http/page.ts'

export async function referralPage({ application, session, site }: SignedInContext): Promise<Page> {
  const { database, referralCredits } = application
  const referral = await referralOf(database, session.account.id)
  if (!referral) throw notFound('referral link')
  const each = plural(referralCredits, 'credit', 'credits')
  return {
    title: 'Bring somebody',
    isUnlisted: true,
    main: (
      <>
        <h1>Bring somebody</h1>
        <p class="lead">
          When somebody signs up by your link and first pays for a plan or a top-up, both of you get{' '}
          {each}. They do not end.
        </p>
        <Code isCommand text={`${site.appUrl}/sign-up?ref=${referral.code}`} />
        <Facts
          facts={[
            { name: 'Signed up by your link', value: figure(referral.joined) },
            { name: 'Paid, and credited to you', value: figure(referral.rewarded) },
            { name: 'Credits from it', value: figure(referral.rewarded * referralCredits) },
          ]}
        />
        <p class="note">It counts once for each account, and not for your own.</p>
      </>
    ),
  }
}
