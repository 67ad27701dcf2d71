/** Who may create a workspace. */
import { readEmail } from '../../values/emails.ts'

export type SignupBindings = { ALLOW_SIGNUP?: string; OWNER_EMAIL?: string }

export type Signup = {
  /** Normalized. */
  email: string
  /** Whether anybody may create one: only if ALLOW_SIGNUP is exactly "true". */
  isOpen: boolean
  /** Whether this is the owner of the installation, who creates its first workspace. */
  isOwner: boolean
}

export const signupOf = (email: string, { ALLOW_SIGNUP, OWNER_EMAIL }: SignupBindings): Signup => ({
  email,
  isOpen: ALLOW_SIGNUP === 'true',
  isOwner: email === readEmail(OWNER_EMAIL),
})

/** The workspaces that one person may create, if sign-up is open. */
export const MAX_WORKSPACES_EACH = 3

const SIGNUP_CLOSED =
  'Sign-up is closed on this installation. Ask its operator for a workspace, or a manager for an invitation.'

const WORKSPACE_LIMIT = `You have created ${MAX_WORKSPACES_EACH} workspaces, which is the limit. Ask a manager of another workspace for an invitation.`

/** The error for somebody who may not create a workspace. */
export const refusalOf = ({ isOpen }: Signup): string => (isOpen ? WORKSPACE_LIMIT : SIGNUP_CLOSED)

export const slugTaken = (slug: string) => `The slug "${slug}" is taken. Choose another.`
