/** @jsxImportSource hono/jsx */
/** `/referral`: the account's invitation link, what it gives, and who has used it. */
import { referralOf } from '../../payments/payments.ts'
import { Code, personalPage } from '../components/page-parts.tsx'
import { Facts } from '../components/profile.tsx'
import { figure, plural } from '../components/text.tsx'
import { notFound } from '../http/form-errors.ts'
import type { Page, SignedInContext } from '../http/page.ts'

export async function referralPage({ application, session, site }: SignedInContext): Promise<Page> {
  const { database, referralCredits } = application
  const referral = await referralOf(database, session.account.id)
  if (!referral) throw notFound('referral link')
  return personalPage(
    { title: 'Invite a friend' },
    <>
      <p class="lead">
        When a friend signs up with your link and first pays for a plan or a top-up, both of you get{' '}
        {plural(referralCredits, 'credit', 'credits')} that never expire.
      </p>
      <Code isCommand text={`${site.appUrl}/sign-up?ref=${referral.code}`} />
      <Facts
        facts={[
          { name: 'Friends who signed up', value: figure(referral.joined) },
          { name: 'Friends who paid', value: figure(referral.rewarded) },
          { name: 'Credits earned', value: figure(referral.rewarded * referralCredits) },
        ]}
      />
      <p class="note">Each account counts once. Your own does not count.</p>
    </>,
  )
}
