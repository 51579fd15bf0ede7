import { Palette } from '../../../../components/Palette.tsx'
import { safeText } from '../../../domain/words/safe-text.ts'
import type { DrawingProps } from '../../core/registry.ts'
import { pickedIn } from './palette.ts'
import type { PaletteOverlay } from './view.ts'

export const PaletteView = ({ state, overlay, columns, taken }: DrawingProps<PaletteOverlay>) => (
  <Palette
    typed={safeText(overlay.text)}
    {...pickedIn(state, overlay)}
    width={columns}
    height={Math.max(1, taken - 3)}
  />
)
