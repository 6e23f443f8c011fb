// Runs in the browser, on lists. They work without it: it shows results as one filters, and adds keys.

const form = document.querySelector('form[data-list]')

// The box of the same value in the facets that came.
const boxOf = ({ name, value }) =>
  [...form.elements].find((it) => it.name === name && it.value === value && it.type === 'checkbox')

// Results follow what is ticked, so that the facets need no button of their own.
document.documentElement.classList.add('live')

let timer
let latest = 0

/** Shows the list of an address in place of this one. @returns whether it could be had */
async function show(address) {
  const number = ++latest
  const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null)
  // A slow answer must not replace a newer one.
  if (number !== latest) return true
  if (!response?.ok) return false
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = page.getElementById(form.dataset.list)
  if (number !== latest) return true
  if (!found) return false
  const { activeElement } = document
  const now = document.getElementById(form.dataset.list)
  const isOpen = now.querySelector('.facets').open
  now.replaceWith(found)
  found.querySelector('.facets').open = isOpen
  if (activeElement?.type === 'checkbox') boxOf(activeElement)?.focus()
  document.title = page.title
  return true
}

/** The address of what the form says, without what is left empty. */
function addressOfForm() {
  const sent = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value !== '') sent.append(name, value)
  return sent.size > 0 ? `${form.action}?${sent}` : form.action
}

async function follow(isTyping) {
  const address = addressOfForm()
  if (address === location.href) return
  if (await show(address)) {
    // While one types there is one entry in the history, not one for each letter.
    if (isTyping) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
  } else if (!isTyping) {
    // A refusal is shown by sending the form.
    form.requestSubmit()
  }
}

const TYPING_PAUSE_MS = 350

document.addEventListener('change', ({ target }) => {
  if (target.form !== form || target.type === 'search') return
  clearTimeout(timer)
  follow(false)
})

form.addEventListener('input', ({ target }) => {
  if (target.type !== 'search') return
  clearTimeout(timer)
  timer = setTimeout(() => follow(true), TYPING_PAUSE_MS)
})

form.addEventListener('submit', (event) => {
  // An own submit after a refusal has to reach the server.
  if (!event.isTrusted || !event.submitter) return
  event.preventDefault()
  clearTimeout(timer)
  const address = addressOfForm()
  show(address).then((isShown) => {
    if (isShown) history.pushState(null, '', address)
    else form.submit()
  })
})

// What the fields say is of another entry of the history: the page of that entry is loaded whole.
addEventListener('popstate', () => location.reload())

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
  const names = [...document.querySelectorAll('.records .name')]
  const at = names.indexOf(document.activeElement)
  const next = names[at < 0 ? (step > 0 ? 0 : names.length - 1) : at + step]
  next?.focus()
  next?.closest('tr').scrollIntoView({ block: 'nearest' })
})
