import { Form } from '../../../../components/Form.tsx'
import type { DrawingProps } from '../../core/registry.ts'
import { wordsOf } from './lines.ts'
import type { FormOverlay } from './view.ts'

export const FormView = ({ state, overlay, columns, taken }: DrawingProps<FormOverlay>) => (
  <Form {...wordsOf(state, overlay.form, columns)} width={columns} height={Math.max(1, taken - 2)} />
)
