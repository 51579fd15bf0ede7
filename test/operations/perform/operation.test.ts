import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../../../src/operations/perform/operation.ts'

test('the schemas of an operation are built when they are first used, and once', () => {
  let [inputs, outputs] = [0, 0]
  const definition = operation({
    name: 'do_something',
    summary: 'Does something',
    access: 'read',
    authority: 'anyone',
    input: () => (inputs++, z.strictObject({ id: z.int() })),
    output: () => (outputs++, z.object({})),
    run: async () => ({}),
  })
  expect([inputs, outputs]).toEqual([0, 0])
  expect(definition.input.safeParse({ id: 1 }).success).toBe(true)
  expect(definition.input.safeParse({ id: 'one' }).success).toBe(false)
  expect([inputs, outputs]).toEqual([1, 0])
  expect(definition.output).toBe(definition.output)
  expect([inputs, outputs]).toEqual([1, 1])
})

test('no file of the operations builds an object of a schema while it is loaded', () => {
  const source = resolve(import.meta.dirname, '../../../src/operations')
  const files = globSync('**/*.ts', { cwd: source })
  expect(files.length).toBeGreaterThan(50)
  const built = files.flatMap((file) =>
    [
      ...readFileSync(join(source, file), 'utf8').matchAll(
        /^(?:export )?const (\w+)\b[^=\n]*=\s*(?:z\s*\.\s*(?:object|strictObject|union|discriminatedUnion|tuple)|\w+\(?\)?\s*\.\s*(?:extend|omit|pick))\b/gm,
      ),
    ].map(([, name]) => `${file}: ${name!}`),
  )
  expect(built).toEqual([])
})
