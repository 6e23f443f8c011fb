// Runs in the browser, on every page. Pages work without it: it adds copy buttons, and search results
// while one types, of the directory by its server and of the documentation in the browser itself.

for (const block of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const source = block.querySelector('code') ?? block.firstElementChild
  // Of a channel: which of several buttons it is.
  if (block.dataset.copy !== 'true') button.setAttribute('aria-label', `Copy ${block.dataset.copy}`)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  block.append(button)
}

// A form's data-live names the element that the answer replaces.
for (const form of document.querySelectorAll('form[data-live]')) {
  const PAUSE_MS = 200
  let timer
  let latest = 0

  const follow = async () => {
    const number = ++latest
    const address = `${form.action}?${new URLSearchParams(new FormData(form))}`
    const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null)
    // A slow answer must not replace a newer one. A refused query is shown by sending the form.
    if (number !== latest || !response?.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.getElementById(form.dataset.live)
    if (number !== latest || !found) return
    document.getElementById(form.dataset.live).replaceWith(found)
    document.title = page.title
    history.replaceState(null, '', address)
  }

  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(follow, PAUSE_MS)
  })
}

// The documentation's search is loaded when its field is first used, which `/` leads to.
const docsSearch = document.querySelector('form[data-script-src]')
if (docsSearch) {
  const field = docsSearch.elements.q
  const load = async () => {
    const { startDocsSearch } = await import(docsSearch.dataset.scriptSrc)
    await startDocsSearch(docsSearch)
  }
  // Where it can't be loaded the form is sent as any other.
  field.addEventListener('focus', () => load().catch(() => {}), { once: true })
  field.setAttribute('aria-keyshortcuts', '/')
  // Fingers have no key for it.
  if (matchMedia('(hover: hover)').matches) field.placeholder = 'Press / to type here'
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    event.preventDefault()
    field.focus()
  })
}

// A page that shows a secret once answers a form: reloading it must not send the form again.
if (document.querySelector('[data-shown-once]')) history.replaceState(null, '', location.href)

// The account menu closes on a click outside it and on Escape.
const menu = document.querySelector('details.account')
if (menu) {
  document.addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) menu.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary').focus()
  })
}
