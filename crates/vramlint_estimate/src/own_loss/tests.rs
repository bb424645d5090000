use super::find;
use vramlint_memory::setup::LossOp::{
    self, Copy, CrossEntropy, Divergence, LogSoftmax, ModelLoss, Scale, Slice, Softmax, Student, Sum, Teacher, Widen,
};
use vramlint_memory::setup::OwnLoss;
use vramlint_syntax::python::parse;

fn read(text: &str) -> Option<OwnLoss> {
    let module = parse(text);
    find(&[&module])
}

fn ops(loss: &OwnLoss) -> Vec<LossOp> {
    loss.steps.iter().map(|step| step.op).collect()
}

#[test]
fn a_function_that_shifts_by_slices() {
    let loss = read(
        "def shift_loss(logits, labels):
    logits = logits.float()
    shift_logits = logits[..., :-1, :].contiguous()
    return F.cross_entropy(shift_logits.view(-1, shift_logits.size(-1)), labels[..., 1:].reshape(-1))
for batch in loader:
    out = model(input_ids=batch['input_ids'])
    loss = shift_loss(out.logits, batch['input_ids'])
    accelerator.backward(loss)
",
    );
    let Some(loss) = loss else { panic!("the loss is not found") };
    assert_eq!(ops(&loss), [Student { labels: false }, Widen, Slice, Copy, CrossEntropy]);
    assert_eq!(loss.steps[3].frees, [2]);
    assert_eq!((loss.kept, loss.kept_by_loop), (vec![0], true));
}

#[test]
fn a_trainer_that_asks_a_teacher() {
    let loss = read(
        "class Distiller(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        with torch.no_grad():
            teacher_logits = self.teacher(**inputs).logits
        divergence = F.kl_div(
            F.log_softmax(outputs.logits / self.temperature, dim=-1),
            F.softmax(teacher_logits / self.temperature, dim=-1),
            reduction='batchmean',
        )
        loss = 0.5 * outputs.loss + divergence
        return (loss, outputs) if return_outputs else loss
",
    );
    let Some(loss) = loss else { panic!("the loss is not found") };
    assert!(loss.asks_teacher() && loss.kept.is_empty());
    let divergence = Divergence { log_target: false };
    let due = [Student { labels: true }, Teacher, Scale, LogSoftmax, Scale, Softmax, divergence, Sum, ModelLoss];
    assert_eq!(ops(&loss), due);
}

#[test]
fn the_loss_of_the_model_is_none_of_the_projects_own() {
    assert_eq!(read("for batch in loader:\n    loss = model(**batch).loss\n    loss.backward()\n"), None);
}

#[test]
fn a_step_that_is_not_known_is_no_loss() {
    let text = "for batch in loader:
    logits = model(**batch).logits
    loss = F.cross_entropy(mix(logits), batch['labels'])
    loss.backward()
";
    assert_eq!(read(text), None);
}
