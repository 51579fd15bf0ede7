import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyBoard } from '../../src/db/copy.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { startCluster } from '../../test/support/postgres.ts'
import { migrations, scratch } from '../bench-core.ts'
import { fullSize, makeBoard } from '../board.ts'
import type { Row } from '../row.ts'

const LONGEST = 90

/** A board of 10,000 tasks and a million notes, moved to a server and back; the copy compares the hash of every table. */
export const postgresCopy = async (): Promise<Row> => {
  const folder = scratch()
  await makeBoard(folder, fullSize)
  const cluster = startCluster()
  process.once('exit', cluster.remove)
  const file = await openStore(join(folder, 'coordination.db'), { migrations })
  const server = await openPostgres(
    { url: cluster.url(), schema: 'copied' },
    { migrations: join(migrations, 'postgres') },
  )
  const back = await openStore(join(folder, 'back.db'), { migrations })
  const timed = async (work: () => ReturnType<typeof copyBoard>) => {
    const began = performance.now()
    const rows = (await work()).reduce((sum, table) => sum + table.rows, 0)
    return { seconds: (performance.now() - began) / 1000, rows }
  }
  const there = await timed(() => copyBoard(file, server))
  const here = await timed(() => copyBoard(server, back))
  for (const store of [file, server, back]) store.close()
  rmSync(folder, { recursive: true, force: true })
  return {
    what: 'copy of a board with 10,000 tasks and a million notes to PostgreSQL, and back',
    measured: `${there.seconds.toFixed(0)} s and ${here.seconds.toFixed(0)} s, ${there.rows.toLocaleString('en')} and ${here.rows.toLocaleString('en')} rows, every hash equal`,
    target: `≤ ${LONGEST} s each`,
    kept: there.rows === here.rows && Math.max(there.seconds, here.seconds) <= LONGEST,
  }
}
