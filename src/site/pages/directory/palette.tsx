/** @jsxImportSource hono/jsx */
/** `/palette`: the dialog of Ctrl-K, with the pages that the reader may open. The script loads it when it is first opened. */
import { type Feature, tierHas } from '../../../contract/tiers.ts'
import { LISTS } from '../../../contract/vocabulary.ts'
import { listNamesOf } from '../../../people/contacts/record-lists.ts'
import { viewsOf } from '../../../people/contacts/saved-views.ts'
import { docsIndexOf } from '../../docs/search-index.ts'
import { PLACES, SECTIONS } from '../../frame/layout.tsx'
import { partOf } from '../../frame/send-page.ts'
import { ASSETS } from '../../http/assets.ts'
import type { Child } from '../../http/html.ts'
import type { PageContext, Route } from '../../http/page.ts'
import { shortName } from '../../ui/text.tsx'

interface Place {
  path: string
  label: string
  /** Further search words. */
  words?: string
  /** Kind of a place whose label is the account's own text. */
  note?: string
}

/** Plan feature that a page needs. */
const NEEDED: Readonly<Record<string, Feature>> = {
  '/bulk-search': 'bulkSearch',
  '/workspace': 'workspace',
}

const WORDS: Readonly<Record<string, string>> = {
  '/projects': 'companies protocols tokens chains',
  '/investors': 'funds angels vc',
  '/people': 'contacts founders',
  '/docs': 'documentation api reference',
  '/credits': 'pricing buy credits',
  '/balance': 'credits ledger transactions billing invoices',
  '/keys': 'tokens secrets',
  '/requests': 'log errors calls',
  '/settings': 'password e-mail account profile',
  '/workspace': 'team members invitations',
  '/referral': 'referral credits',
  '/contacts': 'revealed notes tags',
}

const APPEARANCE: Place = { path: '/appearance', label: 'Appearance', words: 'theme dark light' }

const STRANGERS: readonly Place[] = [
  APPEARANCE,
  { path: '/sign-in', label: 'Sign in', words: 'log in login' },
  { path: '/sign-up', label: 'Create an account', words: 'sign up register trial' },
]

async function palette(context: PageContext): Promise<Response> {
  const { href } = context
  const { path: index } = await docsIndexOf(context)
  const places = [...placesFor(context), ...(await keptFor(context))]
  return partOf(
    <dialog
      class="palette"
      aria-label="Search and go to"
      data-docs-script={href(ASSETS.docsSearch.path)}
      data-docs-index={href(index)}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search pages, records and the documentation"
        aria-autocomplete="list"
        aria-controls="palette-options"
        aria-expanded="true"
        placeholder="Where to? A page, a record, a word of the documentation"
        maxlength={200}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        enterkeyhint="go"
      />
      <div class="options" id="palette-options" role="listbox" aria-label="Results">
        <Group name="pages" title="Go to">
          {places.map(({ path, label, words, note }) => (
            <a role="option" tabindex={-1} href={href(path)} data-words={words}>
              <span class="name">{label}</span> {note ? <span class="facts">{note}</span> : null}
            </a>
          ))}
        </Group>
        <a role="option" tabindex={-1} href={href('/search')} data-everything hidden>
          Search people and companies for <span class="name"></span>
        </a>
        <Group name="records" title="People and companies" />
        <Group name="docs" title="Documentation" />
      </div>
      <p class="unseen" role="status"></p>
      <p class="keys">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open
        </span>{' '}
        <button type="button">
          <kbd>Esc</kbd> close
        </button>
      </p>
      <template>
        <a role="option" tabindex={-1} href={href('/docs')}>
          <span class="name"></span> <span class="facts"></span>
        </a>
      </template>
    </dialog>,
    'no-store',
  )
}

/** Options under a title. @param name used by the script to fill the group */
function Group({ name, title, children }: { name: string; title: string; children?: Child }) {
  return (
    <fieldset data-group={name} hidden={!children}>
      <legend>{title}</legend>
      <div role="none">{children}</div>
    </fieldset>
  )
}

/** Pages that the reader may open with their plan. */
function placesFor({ session }: PageContext): Place[] {
  const named = (places: Readonly<Record<string, string>>) =>
    Object.entries(places).map(([path, label]) => ({ path, label, words: WORDS[path] ?? '' }))
  if (!session) return [...named(SECTIONS), ...STRANGERS]
  const { tier } = session.account
  const places = named(PLACES).filter(({ path }) => {
    const feature = NEEDED[path]
    return !feature || tierHas(tier, feature)
  })
  const exports = tierHas(tier, 'csvExport') ? LISTS : []
  return [
    ...named(SECTIONS),
    ...places,
    { path: '/balance/alerts', label: 'Low-balance mails', words: 'alerts thresholds' },
    ...exports.map((list) => ({ path: `/export/${list}`, label: `Export ${list}`, words: 'csv' })),
    APPEARANCE,
    { path: '/sign-out', label: 'Sign out', words: 'log out' },
  ]
}

/** The account's lists and views. @throws DatabaseUnavailable */
async function keptFor({ session, application: { database } }: PageContext): Promise<Place[]> {
  if (!session) return []
  const { id: account } = session.account
  const [lists, views] = await Promise.all([
    listNamesOf(database, account),
    viewsOf(database, account),
  ])
  return [
    ...lists.map(({ id, name }) => ({
      path: `/lists/${id}`,
      label: shortName(name),
      note: 'List',
    })),
    ...views.map(({ id, name, list }) => ({
      path: `/views/${id}`,
      label: shortName(name),
      note: `View of ${list}`,
    })),
  ]
}

export const paletteRoute: Route = { path: '/palette', get: palette }
