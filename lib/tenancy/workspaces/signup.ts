/** Who may create a workspace. */
import { readEmail } from '../../values/emails.ts'

export type SignupBindings = { ALLOW_SIGNUP?: string; OWNER_EMAIL?: string }

/** Somebody who creates a workspace. */
export type Signup = {
  /** As `normalizeEmail` writes it. */
  email: string
  /** Whether anybody may. Closed, unless ALLOW_SIGNUP is exactly "true". */
  isOpen: boolean
  /** Whether the installation belongs to this person, who creates its first workspace. */
  isOwner: boolean
}

export const signupOf = (email: string, { ALLOW_SIGNUP, OWNER_EMAIL }: SignupBindings): Signup => ({
  email,
  isOpen: ALLOW_SIGNUP === 'true',
  isOwner: email === readEmail(OWNER_EMAIL),
})

/** With open sign-up, the workspaces that one person may create. */
export const MAX_WORKSPACES_EACH = 3

const SIGNUP_CLOSED =
  'Sign-up is closed on this installation. Ask its operator for a workspace, or a manager for an invitation.'

const WORKSPACE_LIMIT = `You have created ${MAX_WORKSPACES_EACH} workspaces, which is the limit. Ask a manager of another workspace for an invitation.`

/** Why somebody may not create a workspace. */
export const refusalOf = ({ isOpen }: Signup): string => (isOpen ? WORKSPACE_LIMIT : SIGNUP_CLOSED)

export const slugTaken = (slug: string) => `The slug "${slug}" is taken. Choose another.`
