import packageJson from '../../package.json' with { type: 'json' }

/** The build's version: the header on every response, `apiVersion` on `/v1/me`, the package's version. */
export const API_VERSION: string = packageJson.version
