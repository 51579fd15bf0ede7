import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { needs } from '../../support/needs.ts'

const examples = resolve(import.meta.dirname, '../../../examples')
const kubernetes = resolve(examples, 'kubernetes.yaml')

/** The path of each value: `spec.replicas`. */
const pathsOf = (value: unknown, path = ''): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, `${path}.${key}`))
    : [`${path}=${String(value)}`]

/** The complaints of the shell about a script, which it does not run. */
const complaints = (script: string): string => spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' }).stderr

it('the example for Kubernetes has only fields that Kubernetes knows', (context) => {
  // Its client keeps what it knows when it writes a file of a known kind again.
  needs(context, spawnSync('kubectl', ['version', '--client']).status === 0, 'kubectl is not installed')
  const words = ['set', 'resources', '--local', '-f', '-', '--limits=cpu=9', '-o', 'json']
  const again = (text: string): readonly string[] =>
    pathsOf(JSON.parse(execFileSync('kubectl', words, { input: text, encoding: 'utf8' })))
  const text = readFileSync(kubernetes, 'utf8')
  const missing = (changed: string): readonly string[] => {
    const known = new Set(again(changed))
    // As Kubernetes reads it: 0440 is a number of base 8.
    return pathsOf(parse(changed, { version: '1.1' })).filter((path) => !known.has(path))
  }
  expect(missing(text)).toEqual([])
  expect(missing(text.replace('serviceName:', 'servicename:'))).toEqual(['.spec.servicename=aiswarm-worker'])
})

it('the scripts in the examples are ones that a shell reads', () => {
  interface Pod {
    readonly spec: { readonly template: { readonly spec: { readonly initContainers: { command: string[] }[] } } }
  }
  const [join] = (parse(readFileSync(kubernetes, 'utf8')) as Pod).spec.template.spec.initContainers
  const script = /<<-SCRIPT\n([^]*?)\n *SCRIPT$/m.exec(readFileSync(resolve(examples, 'worker.nomad.hcl'), 'utf8'))![1]!
  for (const text of [join!.command.at(-1)!, script]) {
    expect(text).toContain('aiswarm ')
    expect(complaints(text)).toBe('')
    expect(complaints(`${text}\nif true; then`)).not.toBe('')
  }
})
