// Runs in the browser, on every page. Pages work without it: it adds copy buttons, says what is wrong with a form
// before it is sent, and searches the documentation in the browser itself.

for (const block of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const source = block.querySelector('code, a') ?? block.firstElementChild
  // Several channels have a button each, so the label names the channel.
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

// The language of examples is remembered by this browser alone, where it may.
for (const radio of document.querySelectorAll('.tabs input')) {
  try {
    if (radio.value === localStorage.getItem('language')) radio.checked = true
  } catch {
    break
  }
  radio.addEventListener('change', () => localStorage.setItem('language', radio.value))
}

// Contents that are higher than the window show the page's own line; the page stays where it is.
const currentPage = document.querySelector('.contents [aria-current]')
const contents = currentPage?.closest('ul')
if (contents) {
  const below = currentPage.getBoundingClientRect().top - contents.getBoundingClientRect().top
  contents.scrollTop = below - contents.clientHeight / 2
}

// The documentation's search is loaded when its field is first used, which `/` leads to.
const docsSearch = document.querySelector('form[data-script-src]')
if (docsSearch) {
  const field = docsSearch.elements.q
  const load = async () => {
    const { startDocsSearch } = await import(docsSearch.dataset.scriptSrc)
    await startDocsSearch(docsSearch)
  }
  // Without the script the form is sent as any other.
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

// Shows all errors of a form at once, each beside its field; browsers by themselves show only the first.
for (const form of document.querySelectorAll('form.form')) {
  form.noValidate = true
  form.addEventListener('submit', (event) => {
    const fields = [...form.querySelectorAll('input, select, textarea')]
    for (const field of fields) sayProblem(field)
    const first = fields.find(({ validity }) => !validity.valid)
    if (!first) return
    event.preventDefault()
    first.focus()
  })
}

// The console of the documentation: what a call changed is put into the page, which stays where it is. It comes after the
// listener above, which keeps a form with a mistake from being sent.
const CHANGED_BY_CALL = ['#call-answer', '#call-price', '.menu .number']
for (const form of document.querySelectorAll('form.console')) {
  const button = form.querySelector('button[type=submit]')
  form.addEventListener('submit', async (event) => {
    if (event.defaultPrevented) return
    event.preventDefault()
    if (button.disabled) return
    button.disabled = true
    try {
      const body = new URLSearchParams(new FormData(form))
      const response = await fetch(form.action, { method: 'POST', body })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      // A refused field or a session that ended is shown by the page that says so.
      if (!page.querySelector('#call-answer [role=status]')) throw new Error('no answer')
      for (const place of CHANGED_BY_CALL) {
        const changed = page.querySelector(place)
        if (changed) document.querySelector(place)?.replaceWith(changed)
      }
      document.querySelector('#call-answer').focus()
    } catch {
      form.submit()
    }
    button.disabled = false
  })
}

// Puts the browser's words where the server would put its own.
function sayProblem(field) {
  const place = field.closest('.field, .choices')
  if (!place) return
  const id = `field-${field.name}-problem`
  const named = (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((it) => it && it !== id)
  document.getElementById(id)?.remove()
  field.toggleAttribute('aria-invalid', false)
  if (!field.validity.valid) {
    const problem = document.createElement('p')
    problem.className = 'problem'
    problem.id = id
    problem.textContent = field.validationMessage
    const hint = place.querySelector('p.hint')
    if (hint) hint.before(problem)
    else place.append(problem)
    field.setAttribute('aria-invalid', 'true')
    named.unshift(id)
  }
  if (named.length > 0) field.setAttribute('aria-describedby', named.join(' '))
  else field.removeAttribute('aria-describedby')
}
