import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { makeLender } from '../../../src/ui/terminal/lending.ts'

type Lending = Parameters<typeof makeLender>[0]

/** A lender whose terminal fails with such an error when Ink takes it back. */
const lending = (code: string | undefined) => {
  let gone = 0
  const output = { read: () => Promise.resolve(), lend: () => {}, takeBack: () => {} } as unknown as Lending['output']
  const suspendTerminal = async (use: () => Promise<void>): Promise<void> => {
    await use()
    if (code !== undefined) throw Object.assign(new Error(`setRawMode ${code}`), { code })
  }
  const terminal = { exit: () => {}, suspendTerminal } as unknown as ReturnType<Lending['terminal']>
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const lender = makeLender({
    stdin,
    output,
    terminal: () => terminal,
    mouse: () => undefined,
    rescue: () => undefined,
    gone: () => gone++,
  })
  return { lender, gone: () => gone }
}

test('a terminal that was closed while another program had it ends the console', async () => {
  const { lender, gone } = lending('EIO')
  await lender.lend(() => Promise.resolve())
  expect([gone(), lender.isLent()]).toEqual([1, false])
})

test('a program that could not start does not end the console', async () => {
  const { lender, gone } = lending(undefined)
  await expect(
    lender.lend(() => Promise.reject(Object.assign(new Error('no such program'), { code: 'ENOENT' }))),
  ).rejects.toThrow('no such program')
  await lender.lend(() => Promise.resolve())
  expect([gone(), lender.isLent()]).toEqual([0, false])
})
