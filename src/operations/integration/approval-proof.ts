import { isSealed, selectIntegrationEvents } from '../../db/events.ts'
import type { EventRow } from '../../db/schema/schema.ts'
import type { IntegrationRow } from '../../db/schema/worktrees.ts'
import type { Db } from '../../db/engine/db.ts'
import { parsed } from '../perform/schemas.ts'

/** The object of an approval. Events of approval, verification and stacking name it in their details. */
export interface Approved {
  readonly integration: number
  readonly targetOid: string
  readonly branchOid: string
  readonly mergeOid: string
  readonly verificationId: number | null
}

/**
 * The reason why a merge must be refused although its row is approved; undefined if a sealed event confirms the row: a
 * person's approval of exactly these commits and this verification, or, if the target has `approval: auto`, a passed
 * verification. A stack made since carries the approval over. The row alone proves nothing, because any program can
 * change it with one UPDATE.
 */
export const whyUnproven = async (db: Db, row: IntegrationRow): Promise<string | undefined> => {
  let proven: Approved | undefined
  let automatic = false
  for (const event of await selectIntegrationEvents(db, row.worktree)) {
    const details = (parsed(event.details) ?? {}) as Partial<Approved> & {
      approval?: string
      approved?: boolean
      replaces?: string
    }
    if (details.integration !== row.id || !(await isSealed(db, event))) continue
    if (event.operation === 'record_candidate') automatic = details.approval === 'auto' && isProgram(event)
    else if (approves(event, details, automatic)) proven = details as Approved
    else if (event.operation === 'record_restack' && isProgram(event) && proven?.mergeOid === details.replaces)
      proven = { ...proven!, ...(details as Approved) }
  }
  return proven && isOf(proven, row)
    ? undefined
    : `Nothing was merged: no event records that a person approved exactly this merge of ${row.worktree}. Review and approve it again.`
}

const approves = ({ operation, actor }: EventRow, { approved }: { approved?: boolean }, automatic: boolean): boolean =>
  (operation === 'approve_integration' && actor === 'human') ||
  (operation === 'record_verification' && actor === 'aiswarm' && automatic && approved === true)

const isProgram = ({ actor }: EventRow): boolean => actor === 'aiswarm'

const isOf = (proven: Approved, row: IntegrationRow): boolean =>
  proven.targetOid === row.target_oid &&
  proven.branchOid === row.branch_oid &&
  proven.mergeOid === row.merge_oid &&
  proven.verificationId === verificationOf(row.verification)

/** The id of a verification as integrations store it. */
const verificationOf = (verification: string | null): number | null => {
  const { id } = (parsed(verification) ?? {}) as { readonly id?: number }
  return id ?? null
}
