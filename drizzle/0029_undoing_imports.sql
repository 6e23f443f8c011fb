ALTER TABLE "import_jobs" DROP CONSTRAINT "import_jobs_state";--> statement-breakpoint
ALTER TABLE "import_jobs" DROP CONSTRAINT "import_jobs_work";--> statement-breakpoint
ALTER TABLE "import_jobs" ADD COLUMN "undo_by" jsonb;--> statement-breakpoint
ALTER TABLE "import_jobs" ADD CONSTRAINT "import_jobs_state" CHECK ("import_jobs"."state" in ('uploading', 'waiting', 'checking', 'checked', 'importing', 'ended', 'undoing', 'stopped'));--> statement-breakpoint
ALTER TABLE "import_jobs" ADD CONSTRAINT "import_jobs_work" CHECK ("import_jobs"."work" in ('check', 'import', 'undo'));