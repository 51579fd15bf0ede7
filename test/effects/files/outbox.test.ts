import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { spool, spooled, unspool } from '../../../src/effects/files/outbox.ts'
import { temporaryFolder } from '../../support/core.ts'

const notesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { note: string }).note]))

it('notes stay in a file per agent until they are delivered, in their order', async () => {
  const root = temporaryFolder()
  for (const note of ['one', 'two']) spool(root, 'ada', { note })
  spool(root, 'bob', { note: 'three' })
  const [ada] = spooled(root)
  expect(spooled(root)).toHaveLength(2)
  expect(notesOf(readFileSync(ada!, 'utf8'))).toEqual(['one', 'two'])
  const delivered: string[] = []
  await unspool(ada!, (line) => Promise.resolve(void delivered.push(line)))
  expect(notesOf(delivered.join('\n'))).toEqual(['one', 'two'])
  expect(spooled(root)).toHaveLength(1)
})

it('a note that is added during the delivery is delivered next', async () => {
  const root = temporaryFolder()
  spool(root, 'ada', { note: 'one' })
  const [path] = spooled(root)
  await unspool(path!, () => Promise.resolve(void spool(root, 'ada', { note: 'two' })))
  expect(notesOf(readFileSync(path!, 'utf8'))).toEqual(['one', 'two'])
})

it('notes stay if their delivery fails', async () => {
  const root = temporaryFolder()
  spool(root, 'ada', { note: 'one' })
  const [path] = spooled(root)
  await expect(unspool(path!, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(spooled(root)).toEqual([path])
})

it('all notes of a host have at most 10 MB', () => {
  const root = temporaryFolder()
  spool(root, 'ada', { note: 'one' })
  writeFileSync(spooled(root)[0]!, Buffer.alloc(10 * 1024 ** 2 - 100))
  expect(spool(root, 'bob', { note: 'x'.repeat(200) })).toBe(false)
})
