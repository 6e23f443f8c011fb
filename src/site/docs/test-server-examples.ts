/** Tests of a client in four languages, as `/docs/testing` shows them; `test/clients/test-server.ts` runs each. */

export interface Example {
  /** Whose runner it is for. */
  name: string
  language: string
  /** The file's name, which tells the runner what it is. */
  file: string
  text: string
}

/** What the two in JavaScript share: they differ in what they import. */
const javaScript = (imports: string, equal: string) => `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
${imports}

const [command, ...args] = (process.env.CHAINKIN ?? 'npx chainkin').split(' ')
args.push('test-server', '--json', '--until-stdin-ends')
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const [line] = await once(createInterface(server.stdout), 'line')
const { apiUrl, controlUrl } = JSON.parse(line)

const control = (path, body = {}) =>
  fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(body) })
beforeEach(() => control('/reset'))

test('a call costs 5 credits', async () => {
  const account = await control('/accounts', { tier: 'pro', credits: 100 })
  const { key } = await account.json()
  const headers = { authorization: \`Bearer \${key}\` }
  const { meta } = await (await fetch(\`\${apiUrl}/v1/projects\`, { headers })).json()
  ${equal}
})
`

export const EXAMPLES: readonly Example[] = [
  {
    name: 'node:test',
    language: 'js',
    file: 'credits.test.mjs',
    text: javaScript(
      "import assert from 'node:assert/strict'\nimport { after, beforeEach, test } from 'node:test'\n\nafter(() => server.stdin.end())",
      'assert.equal(meta.creditsBalance, 95)',
    ),
  },
  {
    name: 'vitest',
    language: 'js',
    file: 'credits.test.js',
    text: javaScript(
      "import { afterAll, beforeEach, expect, test } from 'vitest'\n\nafterAll(() => void server.stdin.end())",
      'expect(meta.creditsBalance).toBe(95)',
    ),
  },
  {
    name: 'pytest',
    language: 'py',
    file: 'test_credits.py',
    text: `import json
import os
import subprocess
from urllib.request import Request, urlopen

import pytest


@pytest.fixture(scope="module")
def server():
    command = os.environ.get("CHAINKIN", "npx chainkin").split()
    process = subprocess.Popen(
        [*command, "test-server", "--json", "--until-stdin-ends"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield json.loads(process.stdout.readline())
    process.stdin.close()
    process.wait()


def ask(url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers)) as answer:
        return json.load(answer)


def test_a_call_costs_5_credits(server):
    account = ask(server["controlUrl"] + "/accounts", {"tier": "pro", "credits": 100})
    key = "Bearer " + account["key"]
    projects = ask(server["apiUrl"] + "/v1/projects", Authorization=key)
    assert projects["meta"]["creditsBalance"] == 95
`,
  },
  {
    name: 'Go',
    language: 'go',
    file: 'credits_test.go',
    text: `package client

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestACallCosts5Credits(t *testing.T) {
	command := os.Getenv("CHAINKIN")
	if command == "" {
		command = "npx chainkin"
	}
	args := append(strings.Fields(command), "test-server", "--json", "--until-stdin-ends")
	server := exec.Command(args[0], args[1:]...)
	stdin, _ := server.StdinPipe()
	stdout, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer stdin.Close()
	var urls struct{ ApiUrl, ControlUrl string }
	if err := json.NewDecoder(stdout).Decode(&urls); err != nil {
		t.Fatal(err)
	}

	asked := strings.NewReader(\`{"tier": "pro", "credits": 100}\`)
	made, err := http.Post(urls.ControlUrl+"/accounts", "application/json", asked)
	if err != nil {
		t.Fatal(err)
	}
	var account struct{ Key string }
	json.NewDecoder(made.Body).Decode(&account)

	call, _ := http.NewRequest("GET", urls.ApiUrl+"/v1/projects", nil)
	call.Header.Set("Authorization", "Bearer "+account.Key)
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	var projects struct{ Meta struct{ CreditsBalance int } }
	json.NewDecoder(answer.Body).Decode(&projects)
	if projects.Meta.CreditsBalance != 95 {
		t.Fatalf("the balance is %d", projects.Meta.CreditsBalance)
	}
}
`,
  },
]
