/** The controls of forms, each with its label, hint and error. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import { type Shown, said, shown } from '../layout/text.ts'

type Control = {
  label: Child
  name: string
  /** For a page with another field of this name. */
  id?: string | undefined
  hint?: Child
  errors?: ErrorDetail[] | undefined
  [attribute: string]: unknown
}

/** A field's error, and the attributes that link hint and error to the control. */
const describe = ({
  name,
  id = name,
  hint,
  errors = [],
}: Pick<Control, 'name' | 'id' | 'hint' | 'errors'>) => {
  const english = errors.find(({ path }) => path === name)?.message
  const error = english && said(english)
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return {
    error,
    attributes: {
      id,
      name,
      'aria-describedby': described || undefined,
      'aria-invalid': error ? 'true' : undefined,
    },
  }
}

const Notes = ({ id, hint, error }: { id: string; hint: Child; error: string | undefined }) => (
  <>
    {hint && (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {error && (
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    )}
  </>
)

/** The fields of a new form, or of a rejected one with its errors. */
export type FormState = { fields: Fields; errors?: ErrorDetail[] | undefined }

/**
 * Ties the controls of a form to its fields, by name.
 * @example const control = controls(LABELS, { fields, errors })
 * <Field {...control('city')} maxlength={35} />
 */
export const controls =
  <Name extends string>(labels: Record<Name, Shown>, { fields, errors }: FormState) =>
  (name: Name) => ({ label: shown(labels[name]), name, value: fields[name], errors })

type FieldProps = Control & { value?: string | number | null | undefined }

/** A labelled input. Screen readers announce its error with it. */
export const Field = ({ label, name, id, hint, value, errors, ...input }: FieldProps) => {
  const { error, attributes } = describe({ name, id, hint, errors })
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <Notes id={attributes.id} hint={hint} error={error} />
      <input value={value ?? ''} {...attributes} {...input} />
    </div>
  )
}

/** The attributes of inputs for identifiers, which browsers must not complete or correct. */
export const IDENTIFIER = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }

type EmailFieldProps = Pick<FieldProps, 'label' | 'hint' | 'value' | 'errors'> & {
  maxlength?: number
  autocomplete?: 'email' | 'off'
}

/** A labelled input for an email address. */
export const EmailField = (props: EmailFieldProps) => (
  <Field name="email" type="email" required maxlength={320} autocomplete="off" {...props} />
)

/** A labelled input of several lines. */
export const TextArea = ({
  label,
  name,
  id,
  hint,
  value,
  errors,
  rows = 4,
  ...input
}: Control & { value?: string | null | undefined; rows?: number }) => {
  const { error, attributes } = describe({ name, id, hint, errors })
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <Notes id={attributes.id} hint={hint} error={error} />
      <textarea rows={rows} {...attributes} {...input}>
        {value ?? ''}
      </textarea>
    </div>
  )
}

/** A choice of a select. */
export type Option = { value: string; label: Shown }

type SelectProps = Control & { options: readonly Option[]; value?: string | null | undefined }

/** A labelled select. */
export const Select = ({
  label,
  name,
  id,
  hint,
  options,
  value,
  errors,
  ...select
}: SelectProps) => {
  const { error, attributes } = describe({ name, id, hint, errors })
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <Notes id={attributes.id} hint={hint} error={error} />
      <select {...attributes} {...select}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === (value ?? '')}>
            {shown(option.label)}
          </option>
        ))}
      </select>
    </div>
  )
}

type CheckboxProps = { label: Child; name: string; hint?: Child; checked: boolean }

/** A labelled checkbox. */
export const Checkbox = ({ label, name, hint, checked }: CheckboxProps) => (
  <p class="option">
    <input
      type="checkbox"
      id={name}
      name={name}
      checked={checked}
      aria-describedby={hint ? `${name}-hint` : undefined}
    />
    <label for={name}>{label}</label>
    {hint && (
      <span class="hint" id={`${name}-hint`}>
        {hint}
      </span>
    )}
  </p>
)
