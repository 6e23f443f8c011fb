/** Formats that the schemas name. TypeBox refuses one that isn't registered when it checks a value. */
import { FormatRegistry } from '@sinclair/typebox'

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  uuid: (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  'date-time': (value) => !Number.isNaN(Date.parse(value)),
  uri: (value) => URL.canParse(value),
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
}

export function registerFormats() {
  for (const [name, isValid] of Object.entries(FORMATS)) {
    if (!FormatRegistry.Has(name)) FormatRegistry.Set(name, isValid)
  }
}
