;;; test.el --- editors/emacs/vramlint.el with eglot against the real server -*- lexical-binding: t; -*-

;; Debian keeps packages outside the default load path of `-Q'.
(dolist (parent '("/usr/share/emacs/site-lisp/elpa" "/usr/share/emacs/site-lisp/elpa-src"))
  (when (file-directory-p parent)
    (dolist (folder (directory-files parent t "\\`[^.]"))
      (add-to-list 'load-path folder))))
(add-to-list 'load-path (getenv "VRAMLINT_EDITOR"))

;; Emacs 28 has no mode for YAML.
(unless (fboundp 'yaml-mode)
  (define-derived-mode yaml-mode prog-mode "YAML"))
(require 'cl-lib)
(require 'vramlint)
(setq vramlint-command (list (getenv "VRAMLINT_BINARY") "lsp")
      vramlint-settings '(:lang "zh"))
(require 'eglot)
(setq eglot-sync-connect 30
      eglot-send-changes-idle-time 0)

(defun test-findings ()
  "The findings of this buffer: what is underlined, and the first line of the message."
  (mapcar (lambda (one)
            (cons (buffer-substring-no-properties (flymake-diagnostic-beg one) (flymake-diagnostic-end one))
                  (car (split-string (flymake-diagnostic-text one) "\n"))))
          (flymake-diagnostics)))

(defun test-wait (what holds)
  "Wait until HOLDS, a function of the findings, is true, or fail with WHAT."
  (let ((end (+ (float-time) 30)))
    (while (and (< (float-time) end) (not (funcall holds (test-findings))))
      (accept-process-output nil 0.05))
    (unless (funcall holds (test-findings))
      (error "%s: %S" what (test-findings)))))

(defun test-open (name)
  "Open NAME of the project, attached to the server."
  (find-file (expand-file-name name (getenv "VRAMLINT_PROJECT")))
  (yaml-mode)
  (if (eglot-current-server)
      (eglot--maybe-activate-editing-mode)
    (apply #'eglot--connect (eglot--guess-contact)))
  (flymake-mode 1)
  (current-buffer))

(let ((train (test-open "train.yaml")))
  ;; The claim behind Chinese letters is underlined, and the setting of the language reached the server.
  (test-wait "the claim is found"
             (lambda (found)
               (let ((claim (cdr (assoc "effective batch size = 64" found))))
                 (and claim (string-match-p "2 × 8 × 8 = 128" claim) (string-match-p "有效批大小" claim)))))
  (let ((accelerate (test-open "accelerate_config.yaml")))
    (goto-char (point-min))
    (search-forward "num_processes: 8")
    (replace-match "num_processes: 4")
    (eglot--signal-textDocument/didChange)
    (with-current-buffer train
      (test-wait "an unsaved edit of another file changes it"
                 (lambda (found) (and found (not (assoc "effective batch size = 64" found))))))
    (with-current-buffer accelerate (set-buffer-modified-p nil)))
  (eglot-shutdown (with-current-buffer train (eglot-current-server)))
  (princ (format "Emacs %s with eglot: findings, and edits across files\n" emacs-version)))
;;; test.el ends here
