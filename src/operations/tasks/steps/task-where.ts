import type { TaskWhere } from '../../../db/task-filter.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { kindRules } from '../../../domain/settings/persona-settings.ts'
import { parseFilter } from '../../../domain/task/filter-parser.ts'
import { later } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'

/** The condition on tasks for a typed filter now; empty if it has no terms. */
export const whereOf = (
  filter: string,
  { now, settings }: Pick<Context, 'now' | 'settings'>,
): { where?: TaskWhere } => {
  const { terms, problem } = parseFilter(filter)
  if (problem !== null) throw new Refusal('invalid_input', problem)
  return terms.length === 0
    ? {}
    : { where: { terms, now, quietSince: later(now, -settings.lease.stalledAfter), kinds: kindRules(settings) } }
}
