import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const dist = resolve(import.meta.dirname, '../dist')

/** The built file whose name begins so, with all files that it imports statically. */
const loadedBy = (name: string): readonly string[] => {
  const loaded = new Set(readdirSync(dist).filter((file) => file.startsWith(`${name}-`)))
  for (const file of loaded)
    for (const [, imported] of readFileSync(join(dist, file), 'utf8').matchAll(/from\s*"\.\/([^"]+)"/g))
      loaded.add(imported!)
  return [...loaded]
}

const drawsScreens = (file: string): boolean => readFileSync(join(dist, file), 'utf8').includes('react-reconciler')

it.each(['run-cli', 'serve', 'headless', 'supervisor', 'outside-later'])('the file of %s loads no React', (name) => {
  expect(loadedBy(name).filter(drawsScreens)).toEqual([])
})

it('the processes around an agent load one file, and otherwise only modules of Node', () => {
  const files = ['main.js', ...loadedBy('main')]
  const relay = readFileSync(join(dist, 'main.js'), 'utf8').matchAll(/from\s*"([^"]+)"/g)
  const imported = [...relay].map(([, name]) => name!).filter((name) => !name.startsWith('node:'))
  expect(files).toEqual(['main.js'])
  expect(imported).toEqual([expect.stringMatching(/^\.\/relay-/)])
  const text = readFileSync(join(dist, imported[0]!), 'utf8')
  for (const part of ['__relay', '__sandbox', '__forward']) expect(text).toContain(part)
  expect([...text.matchAll(/from\s*"([^"]+)"/g)].filter(([, name]) => !name!.startsWith('node:'))).toEqual([])
})

it('the file of the console loads React', () => {
  expect(loadedBy('console').some(drawsScreens)).toBe(true)
})

it('only the entry imports modules of Node, since their namespaces take time', () => {
  const importing = readdirSync(dist)
    .filter((file) => file.endsWith('.js'))
    .filter((file) => /from"node:/.test(readFileSync(join(dist, file), 'utf8')))
  expect(importing).toEqual(['main.js'])
})

it.each(['console', 'run-cli', 'serve'])('the file of %s loads no HTTP of Node', (name) => {
  const loading = loadedBy(name).filter((file) =>
    readFileSync(join(dist, file), 'utf8').includes('Module(`node:http`)'),
  )
  expect(loading).toEqual([])
})
