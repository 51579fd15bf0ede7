import type { ComponentType } from 'react'
import type { DrawingProps } from '../core/registry.ts'
import { InboxView } from '../views/inbox/InboxView.tsx'
import { MemoryView } from '../views/memory/MemoryView.tsx'
import { PastView } from '../views/past/PastView.tsx'
import { PlotsView } from '../views/plots/PlotsView.tsx'
import type { Overlay } from '../core/state.ts'
import { ConfirmView } from '../views/confirm/ConfirmView.tsx'
import { FormView } from '../views/form/FormView.tsx'
import { PaletteView } from '../views/palette/PaletteView.tsx'
import { ReviewView } from '../views/review/ReviewView.tsx'
import type { views } from '../views/index.ts'

/** The views with their own components. They are separate, because the console's logic is independent of React. */
type Drawn = Extract<(typeof views)[number], { readonly drawn: true }>['kind']

const drawings: { readonly [Kind in Drawn]: ComponentType<DrawingProps<Extract<Overlay, { readonly kind: Kind }>>> } = {
  approval: ReviewView,
  confirm: ConfirmView,
  form: FormView,
  inbox: InboxView,
  memory: MemoryView,
  palette: PaletteView,
  past: PastView,
  plots: PlotsView,
}

/** The component of the front view, if it has one. */
export const drawingOf = (overlay: Overlay): ComponentType<DrawingProps<Overlay>> | undefined =>
  (drawings as Readonly<Record<string, ComponentType<DrawingProps<never>>>>)[overlay.kind] as
    ComponentType<DrawingProps<Overlay>> | undefined
