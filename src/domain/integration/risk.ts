/** The reasons to review a changed file separately, the gravest first. */
const riskKinds = [
  'secret',
  'hidden',
  'mixed',
  'repository',
  'history',
  'hook',
  'ci',
  'instructions',
  'editor',
  'scripts',
  'submodule',
  'symlink',
  'tests',
  'executable',
  'elsewhere',
  'build',
  'configuration',
  'lockfile',
  'binary',
  'large-file',
  'deletion',
] as const
export type RiskKind = (typeof riskKinds)[number]

export interface Risk {
  readonly kind: RiskKind
  /** A sentence without its full stop, for a person. */
  readonly reason: string
}

/**
 * Sorts files by their gravest reason, then by the number of reasons, then by name; a file without a reason comes last.
 */
export const byRisk = (a: RiskOrder, b: RiskOrder): number =>
  (a.risks[0] ? rank(a.risks[0]) : riskKinds.length) - (b.risks[0] ? rank(b.risks[0]) : riskKinds.length) ||
  b.risks.length - a.risks.length ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

interface RiskOrder {
  readonly path: string
  readonly risks: readonly Risk[]
}

/** The number of files for each kind of reason, the gravest first. */
export const riskCounts = (
  files: readonly RiskOrder[],
): readonly { readonly kind: RiskKind; readonly files: number }[] =>
  riskKinds.flatMap((kind) => {
    const count = files.filter(({ risks }) => risks.some((risk) => risk.kind === kind)).length
    return count === 0 ? [] : [{ kind, files: count }]
  })

export const rank = ({ kind }: Risk): number => riskKinds.indexOf(kind)

/** Files with the same reasons are listed one by one up to this number; more become one entry. */
const ALIKE = 12

/** The positions of files with the same reasons, which would make a list of hundreds of lines. */
export const alike = (files: readonly Pick<RiskOrder, 'risks'>[]): readonly (readonly number[])[] => {
  const groups = new Map<string, number[]>()
  for (const [number, { risks }] of files.entries()) {
    if (risks.length === 0) continue
    const key = JSON.stringify(risks)
    const group = groups.get(key) ?? []
    group.push(number)
    groups.set(key, group)
  }
  return [...groups.values()].filter(({ length }) => length > ALIKE)
}
