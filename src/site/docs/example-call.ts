/**
 * An endpoint's example: one address, made of what the contract gives as examples, and a whole program around it in each
 * language. `test/clients/examples.ts` runs the programs as pages show them.
 */
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import type { Parameter } from '../../contract/query.ts'
import { curlOf } from '../ui/page-parts.tsx'
import type { ExampleValues } from './example-values.ts'

/** Records that an example asks a list for: enough to see, few enough to read. */
export const EXAMPLE_LIMIT = 2

/**
 * The address of an example, with every parameter that the endpoint requires and some that lists are filtered by. Where the
 * directory has nothing to show, the contract's own values stand in it.
 */
export function exampleUrl(name: EndpointName, baseUrl: string, examples: ExampleValues): string {
  const { path, parameters }: Endpoint = ENDPOINTS[name]
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([key, parameter]) => {
      const value = exampleValue(key, parameter, examples[name])
      return value === undefined ? [] : [[key, value]]
    }),
  )
  const filled = documentedPath(path).replace(/\{\w+\}/, () => exampleId(name, examples))
  // A comma may stand as it is, and is read more easily so.
  const sent = String(query).replaceAll('%2C', ',')
  return `${baseUrl}${filled}${sent === '' ? '' : `?${sent}`}`
}

/** An id or a slug for the endpoint's path. */
export function exampleId(name: EndpointName, examples: ExampleValues): string {
  const endpoint: Endpoint = ENDPOINTS[name]
  return encodeURIComponent(examples[name]?.id ?? endpoint.exampleId ?? '')
}

/** The address of a first call that is charged: a search. */
export function firstCallUrl(baseUrl: string, examples: ExampleValues): string {
  const q = examples.search?.q ?? ENDPOINTS.search.parameters.q.example ?? ''
  return `${baseUrl}${ENDPOINTS.search.path}?${new URLSearchParams({ q, limit: '3' })}`
}

function exampleValue(
  name: string,
  parameter: Parameter,
  values: ExampleValues[EndpointName],
): string | undefined {
  if (name === 'limit') return String(EXAMPLE_LIMIT)
  const isShown = parameter.kind === 'list' || (parameter.kind === 'text' && parameter.required)
  if (!isShown) return undefined
  return values ? values[name] : parameter.example
}

export interface Language {
  /** How readers call it. */
  label: string
  /** How Markdown marks its code. */
  tag: string
  /** The name of a file that holds a program of it. */
  file: string
  /** A program that sends a GET to an address with the key of the environment's `API_KEY`, and prints the answer. */
  programOf(url: string): string
}

/** By the values of the radio buttons that choose one. */
export const LANGUAGES = {
  curl: { label: 'curl', tag: 'sh', file: 'example.sh', programOf: (url) => curlOf(url) },
  typescript: { label: 'TypeScript', tag: 'ts', file: 'example.ts', programOf: typescript },
  python: { label: 'Python', tag: 'python', file: 'example.py', programOf: python },
  go: { label: 'Go', tag: 'go', file: 'example.go', programOf: go },
} as const satisfies Record<string, Language>

function typescript(url: string): string {
  return `const url = '${url}'
const response = await fetch(url, {
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
})
if (!response.ok) throw new Error(await response.text())
console.log(JSON.stringify(await response.json(), null, 2))`
}

function python(url: string): string {
  return `import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

url = "${url}"
request = Request(url, headers={"Authorization": f"Bearer {os.environ['API_KEY']}"})
try:
    with urlopen(request) as response:
        print(json.dumps(json.load(response), indent=2))
except HTTPError as error:
    raise SystemExit(error.read().decode())`
}

function go(url: string): string {
  return `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	url := "${url}"
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", response.Status, body)
	}
	fmt.Println(string(body))
}`
}
