/** @jsxImportSource hono/jsx */
/** `/appearance`: light, dark or the system's colours, for this browser, with an account or without. */
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type PageContext, pathTo, type Reply, redirect } from '../../http/page.ts'
import { returnUrlOf } from '../../http/return-url.ts'
import { THEMES, themeCookie, themeOf } from '../../http/theme.ts'
import { Submit } from '../../ui/actions.tsx'
import { Radios } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Flash, personalPage } from '../../ui/page-parts.tsx'

const SYSTEM = 'system'
const MESSAGES = { set: 'Your colours were saved.' }

const OPTIONS = [
  { value: SYSTEM, label: 'System', hint: 'Follows your device.' },
  { value: 'light', label: 'Light', hint: 'Dark text on white.' },
  { value: 'dark', label: 'Dark', hint: 'Light text on a dark ground.' },
]

export function appearancePage(context: PageContext, errors?: FormErrors): Page {
  const returnUrl = errors ? returnUrlOf(errors.form) : pageBefore(context)
  return personalPage(
    { title: 'Appearance' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <p class="lead">How these pages look in this browser. A cookie keeps your choice.</p>
      <Form context={context} action="/appearance">
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <Radios
          name="theme"
          legend="Colours"
          options={OPTIONS}
          chosen={themeOf(context.request, context.site.appUrl) ?? SYSTEM}
          errors={errors}
        />
        <Submit>Set colours</Submit>
      </Form>
    </>,
  )
}

export function setAppearance(context: PageContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => appearancePage(context, errors)
  return withFormErrors(form, again, async () => {
    const value = fieldText(form, 'theme')
    const theme = THEMES.find((each) => each === value)
    if (!theme && value !== SYSTEM) throw new FieldError('theme', 'Light, dark or system.')
    const to = returnUrlOf(form) ?? '/appearance?said=set'
    return redirect(context.href(to), 303, [themeCookie(theme, context.site.appUrl)])
  })
}

/** Path of the referring page, so that links to this page need no parameter. */
function pageBefore({ request, site }: PageContext): string | undefined {
  const sent = request.headers.get('referer') ?? ''
  if (!URL.canParse(sent)) return undefined
  const { pathname, search } = new URL(sent)
  const base = pathTo(site, '')
  if (!pathname.startsWith(`${base}/`) || pathname === `${base}/appearance`) return undefined
  return returnUrlOf(new URLSearchParams({ returnUrl: pathname.slice(base.length) + search }))
}
