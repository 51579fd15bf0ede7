import { Refusal } from '../../../domain/rules/refusal.ts'
import type { Core } from '../../door/core.ts'

export const refuseUnknownKind = ({ kinds }: Pick<Core, 'kinds'>, kind: string): void => {
  if (!kinds.includes(kind))
    throw new Refusal('missing_binary', `Agent kind '${kind}' is unknown. The known kinds are ${kinds.join(', ')}.`)
}
