import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { whyNoWrite } from '../../../src/domain/host/heartbeat.ts'
import { beatPath, rememberBeat, rememberHost, seenBeat } from '../../../src/effects/hosts/own-host.ts'
import { temporaryFolder } from '../../support/core.ts'

it.each([null, '2026-01-30T14:22:30.000Z'])(
  'a host that joined at %s reads the heartbeat that it has remembered, and notices a restore by it',
  (joinedAt) => {
    const root = temporaryFolder()
    const beat = { generation: 2, seq: 7, joinedAt }
    rememberHost(root, 'local')
    expect(seenBeat(root)).toBeUndefined()
    rememberBeat(root, beat)
    expect(seenBeat(root)).toEqual(beat)
    const host = { name: 'a', state: 'up', ...beat } as const
    expect(whyNoWrite(host, seenBeat(root))).toBeUndefined()
    expect(whyNoWrite({ ...host, seq: 6 }, seenBeat(root))?.code).toBe('board_restored')
  },
)

it('a damaged heartbeat file is read as if there were none', () => {
  const root = temporaryFolder()
  mkdirSync(dirname(beatPath(root)), { recursive: true })
  writeFileSync(beatPath(root), '2 7')
  expect(seenBeat(root)).toBeUndefined()
})
