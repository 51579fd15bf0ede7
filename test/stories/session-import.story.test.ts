import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generous, openShop } from './pty.ts'

const session = 'session-20260130-142233'
const board = `# Task Board
## Session: ${session}

### task-1
- **Agent**: backend
- **Title**: JWT auth API
- **Status**: pending
- **Priority**: 1
- **Dependencies**: none

- **Estimate**: 3 days
- **Owner of the area**: Ada
`

it(
  'unknown lines of a board, and notes after the known parts of files, survive import and export',
  generous,
  async (test) => {
    const shop = openShop(test)
    shop.write({ 'task-board.md': board, 'made.txt': 'made\n' })
    await shop.run('session', 'import', join(shop.root, 'task-board.md'))
    expect((await shop.run('agent', 'status', session)).out).toBe('backend:pending\n')
    const { token } = await shop.answer<{ token: string }>('agent', 'register', 'backend', '--persona', 'implementer')
    expect(token).toBeTruthy()
    await shop.answer('task', 'claim', '1', '--agent', 'backend')
    await shop.answer(
      'task',
      'complete',
      '1',
      '--agent',
      'backend',
      '--result',
      JSON.stringify({ files: [{ path: 'made.txt', change: 'NEW', note: 'User model' }] }),
    )
    await shop.run('session', 'export', join(shop.folder, 'out'))
    const read = (name: string): string => readFileSync(join(shop.folder, 'out', name), 'utf8')
    expect(read('task-board.md')).toContain('- **Estimate**: 3 days\n- **Owner of the area**: Ada\n')
    expect(read('result-backend.md')).toContain('- `made.txt` (NEW) - User model\n')
  },
)
