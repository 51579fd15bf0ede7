import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './effects/swarm.ts'
import { temporaryFolder } from './support/core.ts'

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

const reachesServers = (file: string): boolean => readFileSync(join(dist, file), 'utf8').includes('SCRAM-SERVER-FIRST')

it.each(['console', 'core', 'run-cli', 'serve', 'headless', 'supervisor', 'outside-later'])(
  'the file of %s loads no driver of PostgreSQL',
  (name) => {
    expect(loadedBy(name)).not.toEqual([])
    expect(loadedBy(name).filter(reachesServers)).toEqual([])
  },
)

it('a command on a database file loads no driver of PostgreSQL', () => {
  const driver = readdirSync(dist).filter((file) => file.endsWith('.js') && reachesServers(file))
  expect(driver).toHaveLength(1)
  const root = repository()
  const hook = join(temporaryFolder(), 'hook.mjs')
  // Printed at once, since the program may end at any time.
  writeFileSync(
    hook,
    "import { writeSync } from 'node:fs'; import { registerHooks } from 'node:module'; registerHooks({ load: (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context) } })",
  )
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, join(dist, 'main.js'), 'status'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  const loaded = stderr.split('\n').map((url) => basename(url))
  expect(loaded.filter((file) => file.startsWith('core-'))).toHaveLength(1)
  expect(loaded).not.toContain(driver[0])
})

it('the built files are ASCII, which V8 keeps in one byte a character', () => {
  const files = readdirSync(dist).filter((file) => file.endsWith('.js'))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(dist, file), 'utf8')))).toEqual([])
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
