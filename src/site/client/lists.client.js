// Runs in the browser, on lists and the search. They work without it: it shows results as one filters or types, and adds keys.

const form = document.querySelector('form[data-list]')
/** Stays while results are replaced, because screen readers announce what changes in an element that was there. */
const said = document.getElementById(form.dataset.said)

// Results follow what is ticked, so that the facets need no button of their own.
document.documentElement.classList.add('live')

let timer

const withoutFragment = (address) => address.split('#')[0]

/** The address of the results that are shown. */
let shown = withoutFragment(location.href)
/** The last request: an earlier answer must not replace a later one. */
let latest = new AbortController()

/** Fetches a page, in place of one that is still awaited. @returns it; null where another one was asked for since */
async function fetched(address) {
  latest.abort()
  latest = new AbortController()
  const { signal } = latest
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return signal.aborted ? null : page
  } catch {
    return signal.aborted ? null : new Document()
  }
}

const textOf = (page, selector) => page.querySelector(selector)?.textContent.trim()

/** Says beside the list why it is still the one of before. @param page what came in place of a list */
function refuse(page) {
  const title = textOf(page, 'h1') ?? 'The service could not be reached'
  const reason = textOf(page, 'main .lead') ?? 'Try again in a few seconds.'
  const text = document.createElement('p')
  text.textContent = `${title}. ${reason} The list below is still the one before.`
  const again = document.createElement('button')
  again.type = 'button'
  again.className = 'button quiet'
  again.textContent = 'Try again'
  again.addEventListener('click', () => follow(false))
  const hadFocus = said.contains(document.activeElement)
  said.className = 'said notice warn'
  said.replaceChildren(text, again)
  if (hadFocus) again.focus()
}

/** The status for screen readers; others see it above the list. */
function announce(text) {
  const hadFocus = said.contains(document.activeElement)
  said.className = 'said unseen'
  said.textContent = text
  if (hadFocus) form.elements.q.focus()
}

/** Puts a list in place of this one, and keeps the focus where it was or near. */
function replace(found) {
  const now = document.getElementById(form.dataset.list)
  const { activeElement } = document
  const hadFocus = now.contains(activeElement)
  const facets = found.querySelector('.facets')
  if (facets) facets.open = now.querySelector('.facets').open
  now.replaceWith(found)
  document.dispatchEvent(new Event('rows'))
  announce((textOf(found, '.count') ?? '').replace(/\s+/g, ' '))
  if (!hadFocus) return
  const { name, value } = activeElement
  const boxes = name ? [...form.elements].filter((it) => it.name === name) : []
  const nearest = boxes.find((it) => it.value === value) ?? boxes[0] ?? form.elements.q
  nearest.focus()
}

/** The address of what the form says, without what is left empty. */
function addressOfForm() {
  const sent = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value !== '') sent.append(name, value)
  return sent.size > 0 ? `${form.action}?${sent}` : form.action
}

const isSearched = (address) => new URL(address).searchParams.has('q')

/** Shows what the form says. @returns whether that could be had */
async function follow(isTyping) {
  clearTimeout(timer)
  const address = addressOfForm()
  if (address === shown) {
    // Ticked and unticked again before the answer came.
    latest.abort()
    announce('')
    return true
  }
  const page = await fetched(address)
  if (!page) return false
  const found = page.getElementById(form.dataset.list)
  if (!found) {
    refuse(page)
    return false
  }
  replace(found)
  document.title = page.title
  // While one types there is one entry in the history, not one for each letter.
  if (isTyping && isSearched(shown)) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  shown = address
  return true
}

const TYPING_PAUSE_MS = 350

document.addEventListener('change', ({ target }) => {
  if (target.form === form && target.type !== 'search') follow(false)
})

form.addEventListener('input', ({ target }) => {
  if (target.type !== 'search') return
  clearTimeout(timer)
  timer = setTimeout(() => follow(true), TYPING_PAUSE_MS)
})

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const isBelowFacets = event.submitter?.closest('.facets')
  if (!(await follow(false)) || !isBelowFacets) return
  // The button below the facets leads to the results if these are below them.
  document.querySelector('.facets').open = false
  const results = document.getElementById('results')
  results.tabIndex = -1
  results.focus()
})

// The fields belong to another entry of the history: the page of that entry is loaded whole. A link to a part of
// this page is none.
addEventListener('popstate', () => {
  if (withoutFragment(location.href) !== shown) location.reload()
})

// `/` leads to the search, `j` and `k` to the next and the previous record, Enter opens it as any link.
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  const isTyping = target.closest(
    'input:not([type="checkbox"]), textarea, select, [contenteditable]',
  )
  if (ctrlKey || metaKey || altKey || isTyping) return
  if (key === '/') {
    event.preventDefault()
    form.elements.q.focus()
    form.elements.q.select()
    return
  }
  const step = { j: 1, k: -1 }[key]
  if (!step) return
  const rows = [...document.querySelectorAll('.records tbody tr, #results .row')]
  const at = rows.indexOf(document.activeElement.closest('tr, .row'))
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step]
  next?.querySelector('.name').focus()
  next?.scrollIntoView({ block: 'nearest' })
})
