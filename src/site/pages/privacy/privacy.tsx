/** @jsxImportSource hono/jsx */
/** `/privacy`: what is held about people, and their request form; `/privacy/confirm`: the link in its mail. */
import type { RequestFields } from '../../../people/privacy/requests.ts'
import {
  LINK_LASTS_HOURS,
  MAX_DETAILS,
  MAX_PERSON,
  type RequestKind,
} from '../../../people/privacy/rules.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import type { Page, PageContext, Reply } from '../../http/page.ts'
import { Submit } from '../../ui/actions.tsx'
import { Radios, TextArea, Tick } from '../../ui/fields.tsx'
import { EmailField, Field, Form } from '../../ui/form.tsx'
import { personalPage, Section } from '../../ui/page-parts.tsx'
import { expiredLinkPage } from '../account/mail-links.tsx'

const KINDS: readonly { value: RequestKind; label: string; hint: string }[] = [
  {
    value: 'show',
    label: 'Show me what you hold',
    hint: 'All of it, where it came from, and who was given it.',
  },
  { value: 'correct', label: 'Correct it', hint: 'Say below what is wrong, and what is right.' },
  {
    value: 'remove',
    label: 'Remove me',
    hint: 'Also called erasure, objection, or opting out of the sale of your data.',
  },
]

export function privacyPage(context: PageContext, errors?: FormErrors): Page {
  return {
    title: 'Privacy: your record here',
    description: `What ${context.site.serviceName} holds about people, and how to see, correct or remove it.`,
    canonical: '/privacy',
    shape: 'wide',
    main: (
      <>
        <h1>Your record here</h1>
        <p class="lead">
          Find out what {context.site.serviceName} holds about you, and have it corrected or
          removed. It is free and needs no account.
        </p>
        <div class="columns even">
          <div>
            <Section id="ask" title="Ask">
              <RequestForm context={context} errors={errors} />
            </Section>
          </div>
          <div>
            <PrivacyNotice context={context} />
          </div>
        </div>
      </>
    ),
  }
}

function RequestForm({
  context,
  errors,
}: {
  context: PageContext
  errors: FormErrors | undefined
}) {
  const { contact, sendsMail } = context.application.privacy
  return (
    <Form context={context} action="/privacy">
      <Radios
        name="kind"
        legend="What you ask for"
        options={KINDS}
        chosen={errors?.form.get('kind') ?? undefined}
        errors={errors}
      />
      <Field
        name="person"
        label="Your name, or the address of your page here"
        maxlength={MAX_PERSON}
        value={personAsked(context)}
        hint="The address of the page is safest: many people share a name. An X or LinkedIn profile does as well."
        errors={errors}
      />
      <TextArea
        name="details"
        label="What is to be corrected, or what else we should know (optional)"
        maxlength={MAX_DETAILS}
        errors={errors}
      />
      <EmailField
        autocomplete="email"
        hint={
          sendsMail
            ? 'You get a link to confirm the request, and the answer. It helps if this is the address that the record has.'
            : 'You get the answer there. It helps if this is the address that the record has.'
        }
        errors={errors}
      />
      <Tick name="declared" errors={errors}>
        I am this person, or they have asked me to act for them. What I write here is used to answer
        this request and for nothing else: it is deleted when the request is closed
        {sendsMail ? `, and after ${LINK_LASTS_HOURS} hours where I don’t confirm it` : ''}.
      </Tick>
      <Submit>Send request</Submit>
      {contact ? <p class="note">You can also write to {contact}.</p> : null}
    </Form>
  )
}

/** Profile whose link "Is this you?" leads here. */
function personAsked({ query, site }: PageContext): string | undefined {
  const [slug] = /^[\w-]{1,80}$/.exec(new URLSearchParams(query).get('person') ?? '') ?? []
  return slug && `${site.appUrl}/people/${slug}`
}

/** Gives the same answer for every person and address. */
export function askPrivacy(context: PageContext, form: Fields): Promise<Reply> {
  const { privacy } = context.application
  const field = (name: keyof RequestFields) => fieldText(form, name)
  const request: RequestFields = {
    kind: field('kind'),
    email: field('email'),
    person: field('person'),
    details: field('details'),
    declared: field('declared'),
  }
  const again = (errors: FormErrors) => privacyPage(context, errors)
  return withFormErrors(form, again, async () => {
    const result = await privacy.ask(request, context.address)
    if (result.outcome === 'limited') {
      // Names another way, because others in the same network may have used up the limit.
      const { contact } = privacy
      throw tooManyAttempts(result.retryAfter, contact ? ` You can also write to ${contact}.` : '')
    }
    return result.outcome === 'mailed' ? mailedPage(request.email) : takenPage(result.id)
  })
}

function mailedPage(email: string): Page {
  return personalPage(
    { title: 'Check your mail' },
    <>
      <p class="lead">
        We are sending a link to <strong>{email.trim()}</strong>. Open it within {LINK_LASTS_HOURS}{' '}
        hours: only then does your request count.
      </p>
      <p class="note">
        No mail after some minutes? Look in your spam folder. An address gets a few such mails an
        hour at most.
      </p>
    </>,
  )
}

function takenPage(id: string): Page {
  return personalPage(
    { title: 'Your request was received' },
    <>
      <p class="lead">A person reads it and answers you by mail within a month.</p>
      <p>
        We may ask how we can know that the record is yours: what others ask for in your name must
        not reach them. Your request has the number <code>{id}</code>.
      </p>
    </>,
  )
}

/** A GET changes nothing, because programs that scan mail follow links too. */
export function confirmRequestPage(context: PageContext): Page {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  return personalPage(
    { title: 'Confirm your request' },
    <>
      <p class="lead">
        Confirm the request that you sent about a record of this directory. Until then nothing
        happens.
      </p>
      <Form context={context} action="/privacy/confirm">
        <input type="hidden" name="token" value={token} />
        <Submit>Confirm</Submit>
      </Form>
    </>,
  )
}

export async function confirmRequest(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const result = await context.application.privacy.confirm(token, context.address)
  if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
  if (result.outcome === 'confirmed') return takenPage(result.id)
  return expiredLinkPage(context, {
    text: `The link of a request works once, for ${LINK_LASTS_HOURS} hours. If you have confirmed it before, it counts.`,
    to: '/privacy#ask',
    label: 'Ask again',
  })
}

function PrivacyNotice({ context }: { context: PageContext }) {
  const { site, application, href } = context
  const { contact, sources } = application.privacy
  return (
    <>
      <Section id="what" title="What is held about people">
        <p>
          {site.serviceName} lists people who work in crypto. About a person it may hold: name, job
          title, company, roles, a picture and its address, an X handle with its number of
          followers, and which of four private channels are known. Everybody can read these here,
          search engines too.
        </p>
        <p>
          The private channels themselves (e-mail, phone, Telegram, LinkedIn) are on no page and in
          no search. Accounts that pay for a contact are shown them, and may use them under the law
          that holds for them.
        </p>
      </Section>
      <Section id="where-from" title="Where it comes from, and what for">
        <p>
          {sources ??
            'Records are gathered from sources about the crypto industry, not from you. Ask, and you are told from which yours came.'}
        </p>
        <p>
          {contact
            ? `Who answers for the directory: ${contact}`
            : `The operator of ${site.serviceName} answers for the directory`}
          . It is kept so that people in this industry can find and reach each other at work: a
          legitimate interest of its operator and its readers. You can object to that at any time
          and need no reason: choose “Remove me” in the form.
        </p>
        <p>A record stays until it is corrected, replaced or removed.</p>
      </Section>
      <Section id="rights" title="What you can ask for">
        <p>
          To be shown all that is held about you, where it came from and who was given it; to have
          it corrected; to be removed. A person reads your request and answers within a month. No
          machine decides about it.
        </p>
        <p>
          Once you are removed, keyed hashes of your addresses and handles are all that is kept, so
          that no later import brings you back. If you disagree with an answer you can complain to
          your data protection authority.
        </p>
        <p>
          Do you have an account here? Its name, address and password are under{' '}
          <a href={href('/settings')}>Settings</a>.
        </p>
      </Section>
    </>
  )
}
