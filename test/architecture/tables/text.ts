import type { LayerRules } from '../layer.ts'

export const text: LayerRules = {}
