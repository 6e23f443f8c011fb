/** The page that shows a link for a new password, once. */
import { resetUrl } from '../../../people/users/tokens.ts'
import { shownOncePage } from '../../../site/ui/page-parts.tsx'
import { resetLink } from '../../acts/users.ts'
import { viewOf } from '../../ui/acts.tsx'
import { accountPath } from '../../ui/paths.ts'

export const PASSWORD_LINK = viewOf(resetLink, {
  reply: (context, token, { on }) =>
    shownOncePage(
      context,
      {
        title: 'Password link',
        heading: 'A link for a new password',
        warning: 'It is shown this once.',
        secret: resetUrl(context.site.appUrl, token),
        next: accountPath(on),
      },
      null,
    ),
})
