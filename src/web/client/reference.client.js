// Runs in the browser, on the reference page. Swagger UI's dark styles hang on a class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const place = document.getElementById('reference')

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  deepLinking: true,
  defaultModelRendering: 'example',
  defaultModelsExpandDepth: 0,
  // Calls cost credits and go to another host: this page asks nothing but its own.
  supportedSubmitMethods: [],
  validatorUrl: null,
})
