;;; vramlint.el --- Linter for GPU-training configuration -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "26.3"))
;; Keywords: languages, tools
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Makes `vramlint lsp' known to eglot and to lsp-mode.
;;
;;   (add-to-list 'load-path "…/editors/emacs")
;;   (require 'vramlint)
;;   (add-hook 'yaml-mode-hook #'eglot-ensure)   ; or #'lsp-deferred
;;
;; Eglot runs one server for each buffer.  Where a mode has a server already (Python, JSON), `vramlint-eglot-modes' says whether
;; vramlint takes its place.  lsp-mode runs several: there vramlint is an add-on.

;;; Code:

(defgroup vramlint nil
  "Linter for GPU-training configuration."
  :group 'tools
  :prefix "vramlint-")

(defcustom vramlint-command '("vramlint" "lsp")
  "The command of the language server."
  :type '(repeat string))

(defcustom vramlint-eglot-modes
  '(yaml-mode yaml-ts-mode sh-mode bash-ts-mode makefile-mode makefile-gmake-mode dockerfile-mode dockerfile-ts-mode)
  "Major modes for which eglot starts vramlint.
Add `python-mode', `python-ts-mode', `js-json-mode', `json-mode' or
`json-ts-mode' where you want it instead of another server."
  :type '(repeat symbol))

(defcustom vramlint-settings nil
  "Settings of the server, as a plist: (:lang \"zh\" :gpu \"RTX 4090\")."
  :type 'plist)

(defconst vramlint--languages
  '((yaml-mode . "yaml") (yaml-ts-mode . "yaml") (python-mode . "python") (python-ts-mode . "python") (sh-mode . "shellscript")
    (bash-ts-mode . "shellscript") (js-json-mode . "json") (json-mode . "json") (json-ts-mode . "json")
    (makefile-mode . "makefile") (makefile-gmake-mode . "makefile") (dockerfile-mode . "dockerfile")
    (dockerfile-ts-mode . "dockerfile") (powershell-mode . "powershell") (markdown-mode . "markdown") (gfm-mode . "markdown"))
  "What the protocol calls the text of each mode.")

(defvar eglot-server-programs)
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-register-custom-settings "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")

(defun vramlint--contact (&rest _)
  "What eglot starts, as it is set now."
  (append vramlint-command
          (and vramlint-settings (list :initializationOptions vramlint-settings))))

(with-eval-after-load 'eglot
  ;; A mode of which eglot does not know the language would be told by its name.
  (dolist (one vramlint--languages)
    (unless (get (car one) 'eglot-language-id)
      (put (car one) 'eglot-language-id (cdr one))))
  (add-to-list 'eglot-server-programs (cons vramlint-eglot-modes #'vramlint--contact)))

(with-eval-after-load 'lsp-mode
  ;; lsp-mode answers with these when the server asks for its settings.
  (lsp-register-custom-settings
   (mapcar (lambda (name)
             (list (concat "vramlint." name)
                   (lambda () (plist-get vramlint-settings (intern (concat ":" name))))))
           '("lang" "gpu" "gpuMemory" "config" "inlayHints" "codeLens")))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () vramlint-command))
    :major-modes (mapcar #'car vramlint--languages)
    :initialization-options (lambda () vramlint-settings)
    :add-on? t
    :priority -1
    :server-id 'vramlint)))

(provide 'vramlint)
;;; vramlint.el ends here
