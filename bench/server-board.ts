import { join } from 'node:path'
import { openPostgres } from '../src/db/postgres/open.ts'
import type { Core } from '../src/operations/perform/core.ts'
import { type Cluster, startCluster } from '../test/support/postgres.ts'
import { benchCoreOn, migrations } from './bench-core.ts'

/** An empty board in the schema `bench` of a PostgreSQL of its own, which ends with this process. */
export const openServerBoard = async (): Promise<{ readonly cluster: Cluster; readonly core: Core }> => {
  const cluster = startCluster()
  process.once('exit', cluster.remove)
  const store = await openPostgres(
    { url: cluster.url(), schema: 'bench' },
    { migrations: join(migrations, 'postgres') },
  )
  return { cluster, core: await benchCoreOn(store, cluster.folder) }
}
