import { expect, test } from 'vitest'
import { findCheckout } from '../../../src/effects/git/repository.ts'
import { openTerminal } from '../terminal.ts'

test('fleet join is refused outside of a clone before a person is asked for a code', async () => {
  const { folder, run } = await openTerminal({
    streams: { stdinIsTerminal: true },
    services: { repositoryRoot: findCheckout },
  })
  expect(await run('fleet', 'join', '--root', folder)).toEqual({
    code: 1,
    out: '',
    err: `A host is a clone of the board's repository, and ${folder} is in none. Run 'git clone URL', and join in the folder that it makes.\n`,
  })
})
