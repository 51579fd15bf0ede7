import { expect, it } from 'vitest'
import { shortTermFor } from '../../../src/effects/memories/short-term.ts'
import { openSwarm, read, write } from '../swarm.ts'

const adr = '# ADR-005: Keys\n\n**Status:** Accepted\n\n## Constraints\n- Keys never leave the server\n'

it('the prompt of a run contains the short-term memory', async () => {
  const swarm = await openSwarm({
    config:
      'agents: {default: mine, kinds: {mine: {command: [sh, -c, "cat {promptFile} > prompt.txt"], prompt: file}}}\n',
  })
  write(swarm.root, {
    'context/decisions/adr/ADR-005.md': adr,
    'context/decisions/decisions-log.md': '# Decisions\n\nADR-005 (Accepted)\n',
    '.ai/working_memory_implementer-1.json': JSON.stringify({
      agentId: 'implementer-1',
      blockers: [{ timestamp: '2026-01-30T14:22:33.000Z', blocker: 'No test server', context: {}, resolved: false }],
    }),
  })
  await swarm.task({ title: 'Log in' })
  await swarm.ended(await swarm.begin())
  expect(read(swarm.root, 'prompt.txt')).toMatch(/# Memory[^]*Keys never leave the server[^]*## Where/)
})

it('the prompt of a run without memories does not mention them', async () => {
  const swarm = await openSwarm()
  expect(shortTermFor(swarm.world, 'implementer-1')).toBe('')
})
